# What a page of JupyterLab does when its first cell is executed: waits for the server, starts a kernel, sends the cell and
# waits for its end. Runs inside the container; prints the seconds that the parts took.
import asyncio, json, os, sys, time, urllib.request, uuid

from tornado.websocket import websocket_connect

base = "127.0.0.1:8888"
token = os.environ["JUPYTER_TOKEN"]
path = os.path.expanduser("~/notebooks/" + sys.argv[1])
begin = time.monotonic()


def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://{base}{path}", data, {"Authorization": "token " + token}, method=method)
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.loads(response.read() or "null")


def answer():
    while True:
        try:
            return call("GET", "/api/status")
        except OSError:
            if time.monotonic() - begin > 60:
                raise
            time.sleep(0.1)


async def execute(kernel, source):
    socket = await websocket_connect(f"ws://{base}/api/kernels/{kernel}/channels?token={token}")
    session, message = uuid.uuid4().hex, uuid.uuid4().hex
    header = {"msg_id": message, "msg_type": "execute_request", "session": session, "username": "", "version": "5.3"}
    content = {"code": source, "silent": False, "store_history": True, "allow_stdin": False, "stop_on_error": True}
    await socket.write_message(json.dumps({"header": header, "parent_header": {}, "metadata": {}, "channel": "shell", "content": content}))
    while True:
        reply = json.loads(await socket.read_message())
        if reply["parent_header"].get("msg_id") == message and reply["msg_type"] == "execute_reply":
            return reply["content"]["status"]


answer()
up = time.monotonic()
cells = json.load(open(path))["cells"]
source = next("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
kernel = call("POST", "/api/kernels", {"name": "expfam"})["id"]
status = asyncio.run(asyncio.wait_for(execute(kernel, source), 120))
call("DELETE", "/api/kernels/" + kernel)
print(f"{status}: server answers {up - begin:.1f} s, cell executed {time.monotonic() - up:.1f} s")
sys.exit(status != "ok")
