# JupyterLab in the images. Who has no token is refused: JUPYTER_TOKEN, or a random one that the log shows.
import os

home = os.path.expanduser("~")
c.ServerApp.ip = "0.0.0.0"
c.ServerApp.port = 8888
c.ServerApp.port_retries = 0
c.ServerApp.open_browser = False
c.ServerApp.root_dir = home
c.KernelSpecManager.allowed_kernelspecs = {"expfam"}
c.KernelSpecManager.ensure_native_kernel = False
c.MultiKernelManager.default_kernel_name = "expfam"
c.KernelManager.transport = "ipc"  # sockets of kernels are files of a private folder, which "start" makes; TCP ports are everybody's
c.NotebookNotary.data_dir = os.path.join(home, ".local", "share", "jupyter")  # the image's own can't be written
c.LabApp.default_url = "/lab/tree/notebooks"
c.LabApp.extension_manager = "readonly"  # the other kind asks a package index
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.handlers.announcements.NeverCheckForUpdate"
