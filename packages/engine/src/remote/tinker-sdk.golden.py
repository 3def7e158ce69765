"""Drives a server with the Tinker SDK. Prints what the SDK sent and returned, as one JSON object.

Usage: python tinker-sdk.golden.py <url>. Needs the package `tinker`, not torch. `tinker-sdk.test.ts` runs it if
WAGGLE_TINKER_PYTHON names such a Python, and writes tinker-sdk.golden.json if WAGGLE_TINKER_RECORD is set too.
Recorded with the sources of tinker 0.25.0, thinking-machines-lab/tinker d595dc2ba62a1494aa0f452fe1d0dbb7b321b870.
"""

import base64
import json
import logging
import sys

import httpx
import tinker
from tinker import types
from tinker.lib.client_connection_pool_type import ClientConnectionPoolType

MODEL = "tiny/decoder"
ADAM = types.AdamParams(learning_rate=0.01, grad_clip_norm=1.0, eps=1e-8)
SEQUENCES = [[3, 9, 28, 4, 4, 17, 0, 6], [11, 2, 25, 7], [8, 8, 21, 13, 1, 19]]
HEADERS = ["accept", "content-type", "content-encoding"]  # the key is added later
PROMPT = types.ModelInput.from_ints([3, 9, 28])


SENT = []


def record(send):
    async def recorded(self, request, **options):
        entry = {"method": request.method, "path": request.url.path}
        entry["headers"] = {name: request.headers[name] for name in HEADERS if name in request.headers}
        entry["body"] = body_of(request)
        response = await send(self, request, **options)
        entry["status"] = response.status_code
        # In the order of responses, because a result may wait for a request that is sent later.
        # Telemetry describes the machine. Its first batch shows the shape.
        if not (entry["path"].endswith("/telemetry") and any(each["path"] == entry["path"] for each in SENT)):
            SENT.append(entry)
        if "json" in response.headers.get("content-type", ""):
            await response.aread()
            entry["future"] = response.json().get("request_id")
        return response

    return recorded


def body_of(request):
    if not request.content:
        return None
    if "json" not in request.headers.get("content-type", ""):
        return base64.b64encode(request.content).decode()
    body = json.loads(request.content)
    if "events" in body:
        return {**body, "platform": "Linux", "events": body["events"][:1]}
    return body


def floats(values):
    return types.TensorData(data=values, dtype="float32", shape=[len(values)])


def datum(tokens, **inputs):
    targets = types.TensorData(data=tokens[1:], dtype="int64", shape=[len(tokens) - 1])
    rows = {name: floats(row) for name, row in inputs.items()}
    return types.Datum(
        model_input=types.ModelInput.from_ints(tokens[:-1]),
        loss_fn_inputs={"target_tokens": targets, **rows},
    )


def weighted(scale):
    return [datum(ids, weights=[scale] * (len(ids) - 1)) for ids in SEQUENCES]


def rows(output):
    return [row["logprobs"].tolist() for row in output.loss_fn_outputs]


def heartbeat(client):
    async def send():
        with client.holder.aclient(ClientConnectionPoolType.SESSION) as http:
            return await http.service.session_heartbeat(session_id=client.holder.get_session_id())

    return client.holder.run_coroutine_threadsafe(send()).result()


def failure(work):
    try:
        work()
    except Exception as error:  # its class is the result
        return [type(error).__name__, str(getattr(error, "category", ""))]
    return None


def main(url):
    client = tinker.ServiceClient(base_url=url, api_key="tml-test")
    found = {}
    found["models"] = [each.model_name for each in client.get_server_capabilities().supported_models]
    found["heartbeat"] = heartbeat(client).type

    training = client.create_lora_training_client(base_model=MODEL, rank=3, seed=1)
    info = training.get_info()
    found["info"] = [info.model_id, info.model_name, info.lora_rank]
    before = training.forward(weighted(1.0), "cross_entropy").result()
    found["forward"] = rows(before)

    # Both requests are sent before either result is awaited.
    passed = training.forward_backward(weighted(-0.5), "cross_entropy")
    stepped = training.optim_step(ADAM)
    found["loss"] = passed.result().metrics["loss:sum"]
    found["norm"] = stepped.result().metrics

    data = [
        datum(ids, logprobs=row, advantages=[1.0] * len(row)) for ids, row in zip(SEQUENCES, found["forward"])
    ]
    training.forward_backward(data, "importance_sampling").result()
    training.optim_step(ADAM).result()
    found["refused"] = failure(lambda: training.forward_backward(weighted(1.0), "ppo").result())

    path = training.save_state("first").result().path
    training.save_state("first", overwrite=True).result()
    found["path"] = path
    found["trained"] = rows(training.forward(weighted(1.0), "cross_entropy").result())
    resumed = client.create_training_client_from_state_with_optimizer(path)
    found["resumed"] = rows(resumed.forward(weighted(1.0), "cross_entropy").result())

    def next_rows(model):
        model.forward_backward(weighted(1.0), "cross_entropy").result()
        model.optim_step(ADAM).result()
        return rows(model.forward(weighted(1.0), "cross_entropy").result())

    found["next"] = [next_rows(training), next_rows(resumed)]

    base = client.create_sampling_client(base_model=MODEL)
    found["prompt"] = base.compute_logprobs(types.ModelInput.from_ints(SEQUENCES[0])).result()
    named = training.save_weights_for_sampler("sampler").result().path
    sampler = client.create_sampling_client(model_path=named)
    params = types.SamplingParams(max_tokens=4, seed=5, temperature=1.0)
    samples = sampler.sample(PROMPT, num_samples=2, sampling_params=params).result().sequences
    found["samples"] = [[each.tokens, each.logprobs, each.stop_reason] for each in samples]
    unnamed = training.save_weights_and_get_sampling_client()
    again = unnamed.sample(PROMPT, num_samples=2, sampling_params=params).result().sequences
    found["again"] = [[each.tokens, each.logprobs, each.stop_reason] for each in again]
    found["baseModel"] = unnamed.get_base_model()

    rest = client.create_rest_client()
    found["archive"] = rest.get_checkpoint_archive_url_from_tinker_path(named).result().url
    rest.delete_checkpoint_from_tinker_path(named).result()
    client.holder.close()
    # How often a pending result is asked for again depends on the machine.
    requests = [each for each in SENT if each.get("status") != 408]
    print(json.dumps({"sdk": tinker.__version__, "results": found, "requests": requests}))


logging.disable(logging.INFO)
httpx.AsyncClient.send = record(httpx.AsyncClient.send)
main(sys.argv[1])
