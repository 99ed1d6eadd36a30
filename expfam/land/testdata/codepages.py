# Prints codepages.json: a word for each language driver (byte 29 of a .dbf file), its bytes in the code page of the
# driver, and what GDAL reads of a table with that byte and no .cpg file. Made with Python 3.11, pyogrio 0.13.0 and
# GDAL 3.12.4:
#
#	python codepages.py > codepages.json
import json, os, struct, tempfile
import pyogrio

WESTERN, CENTRAL, CYRILLIC, GREEK = "Bénin", "Łódź", "Хасково", "Λάρισα"
DRIVERS = {
    0x01: ("cp437", WESTERN), 0x02: ("cp850", WESTERN), 0x03: ("cp1252", WESTERN), 0x04: ("mac_roman", WESTERN),
    0x08: ("cp865", "Ærø"), 0x09: ("cp437", WESTERN), 0x0A: ("cp850", WESTERN), 0x0B: ("cp437", WESTERN),
    0x0D: ("cp437", WESTERN), 0x0E: ("cp850", WESTERN), 0x0F: ("cp437", WESTERN), 0x10: ("cp850", WESTERN),
    0x11: ("cp437", WESTERN), 0x12: ("cp850", WESTERN), 0x13: ("cp932", "仙台市"), 0x14: ("cp850", "Tucumán"),
    0x15: ("cp437", "Malmö"), 0x16: ("cp850", "Malmö"), 0x17: ("cp865", "Tromsø"), 0x18: ("cp437", "Logroñés"),
    0x19: ("cp437", WESTERN), 0x1A: ("cp850", WESTERN), 0x1B: ("cp437", WESTERN), 0x1C: ("cp863", "Québec"),
    0x1D: ("cp850", WESTERN), 0x1F: ("cp852", "Třebíč"), 0x22: ("cp852", "Győr"), 0x23: ("cp852", CENTRAL),
    0x24: ("cp860", "São Tomé"), 0x25: ("cp850", "São Tomé"), 0x26: ("cp866", "Москва"), 0x37: ("cp850", WESTERN),
    0x40: ("cp852", "Argeş"), 0x4D: ("cp936", "广东省"), 0x4E: ("cp949", "서울특별시"), 0x4F: ("cp950", "臺北市"),
    0x50: ("cp874", "เชียงใหม่"), 0x58: ("cp1252", WESTERN), 0x59: ("cp1252", WESTERN), 0x64: ("cp852", CENTRAL),
    0x65: ("cp866", "Москва"), 0x66: ("cp865", "Tromsø"), 0x67: ("cp861", "Þingvellir"), 0x6A: ("cp737", GREEK),
    0x6B: ("cp857", "Iğdır"), 0x6C: ("cp863", "Québec"), 0x78: ("cp950", "臺北市"), 0x79: ("cp949", "서울특별시"),
    0x7A: ("cp936", "广东省"), 0x7B: ("cp932", "仙台市"), 0x7C: ("cp874", "เชียงใหม่"), 0x7D: ("cp1255", "ירושלים"),
    0x7E: ("cp1256", "القاهرة"), 0x86: ("cp737", GREEK), 0x87: ("cp852", "Kočevje"), 0x88: ("cp857", "Iğdır"),
    0x96: ("mac_cyrillic", "Москва"), 0x97: ("mac_latin2", "Kraków"), 0x98: ("mac_greek", GREEK), 0xC8: ("cp1250", CENTRAL),
    0xC9: ("cp1251", CYRILLIC), 0xCA: ("cp1254", "Iğdır"), 0xCB: ("cp1253", GREEK), 0xCC: ("cp1257", "Šiauliai"),
}


def table(driver, cell):
    head = struct.pack("<4BIHH17xBxx", 3, 126, 1, 1, 1, 65, 41, driver)
    field = struct.pack("<11sc4xBB14x", b"NAME", b"C", 40, 0)
    return head + field + b"\r " + cell.ljust(40) + b"\x1a"


def gdal(driver, cell):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "t.dbf")
        with open(path, "wb") as f:
            f.write(table(driver, cell))
        try:
            return pyogrio.raw.read(path)[3][0][0]
        except Exception as e:  # a page that this GDAL was built without
            return type(e).__name__


rows = [dict(driver=d, hex=w.encode(c).hex(), text=w, gdal=gdal(d, w.encode(c))) for d, (c, w) in DRIVERS.items()]
print("[\n" + ",\n".join(json.dumps(r, ensure_ascii=False) for r in rows) + "\n]")
