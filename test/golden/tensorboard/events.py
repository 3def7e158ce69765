"""Bytes of a TensorBoard event file, by TensorBoard's own writer: the golden values of trainer/src/metrics/event-file.test.ts.

pip install tensorboard==2.21.0 && python test/golden/tensorboard/events.py > test/golden/tensorboard/events.json
"""
import io
import json
import tensorboard
from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.summary.writer.record_writer import RecordWriter


class Kept(io.BytesIO):
    name = "kept"

    def close(self):
        pass


def scalars(wall_time, step, values):
    event = event_pb2.Event(wall_time=wall_time, step=step)
    for tag, value in values:
        event.summary.value.append(summary_pb2.Summary.Value(tag=tag, simple_value=value))
    return event


kept = Kept()
writer = RecordWriter(kept)
events = [
    event_pb2.Event(wall_time=1700000000.25, file_version="brain.Event:2"),
    scalars(1700000001.5, 1, [("learn/loss", 0.5), ("heldOut/success", 0.25)]),
    scalars(1700000002.0, 300, [("learn/gradientNorm", -1.5e-3)]),
    event_pb2.Event(
        wall_time=1700000003.75,
        step=300,
        session_log=event_pb2.SessionLog(status=event_pb2.SessionLog.START),
    ),
    scalars(1700000004.0, 5_000_000_000, [("é", float("inf"))]),
]
for event in events:
    writer.write(event.SerializeToString())
print(
    json.dumps(
        {
            "by": f"tensorboard {tensorboard.__version__}",
            "command": "python test/golden/tensorboard/events.py",
            "hex": kept.getvalue().hex(),
        },
        indent=2,
    )
)
