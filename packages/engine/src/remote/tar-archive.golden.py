"""Writes tar-archive.golden.json: an archive as SkyRL's backends make it (tarfile.add of a folder).

python3 tar-archive.golden.py > tar-archive.golden.json
"""

import base64
import gzip
import io
import json
import os
import platform
import tarfile
import tempfile

LONG = "d" * 60 + "/" + "n" * 60 + ".json"

with tempfile.TemporaryDirectory() as folder:
    os.makedirs(os.path.join(folder, "d" * 60))
    files = {"adapter_config.json": b'{"r":3}', "empty": b"", LONG: b"long name", "big.bin": bytes(range(256)) * 3}
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
    os.symlink("adapter_config.json", os.path.join(folder, "link"))
    for name in os.listdir(folder):
        # Fractions of seconds make tarfile write pax headers.
        os.utime(os.path.join(folder, name), (1.5, 1700000000.25), follow_symlinks=False)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.add(folder, arcname=".")

print(
    json.dumps(
        {
            "by": f"tarfile of Python {platform.python_version()}",
            "command": "python3 tar-archive.golden.py > tar-archive.golden.json",
            "archive": base64.b64encode(gzip.compress(buffer.getvalue(), 9, mtime=0)).decode(),
            "files": {name: base64.b64encode(content).decode() for name, content in files.items()},
        },
        indent=1,
    )
)
