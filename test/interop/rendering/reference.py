"""
Renders every case with Python's Jinja2, configured as Transformers configures it, and writes hashes to reference.json:
of every prompt that the model gets, and of the conversation at the end, up to the last token that ends a turn or to the
generation prompt. Templates that read `enable_thinking` render every case without and with it.
Run by hand: python3 test/interop/rendering/reference.py

Source: Transformers, `utils/chat_template_utils.py` (`_compile_jinja_template`). The templates are those in the
llama.cpp release that the npm package node-llama-cpp contains (`llama/gitRelease.bundle`): files of `models/templates`,
or metadata of the vocabularies in `models/ggml-vocab-….gguf`.
"""
import hashlib
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unicodedata

import jinja2
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

HERE = pathlib.Path(__file__).parent
LLAMA = HERE.parents[2] / "node_modules/node-llama-cpp/llama"


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def compiled(source):
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    environment.filters["tojson"] = tojson
    environment.globals["raise_exception"] = raise_exception
    environment.globals["strftime_now"] = lambda form: "01 Jan 2026"
    return environment.from_string(source)


def metadata_template(gguf):
    """The string `tokenizer.chat_template` of a GGUF file."""
    key = b"tokenizer.chat_template" + struct.pack("<I", 8)
    at = gguf.index(key) + len(key)
    (length,) = struct.unpack_from("<Q", gguf, at)
    return gguf[at + 8 : at + 8 + length].decode()


def python_value(value):
    """A value in LFM2's calls."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)}: {python_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(python_value, value)) + "]"
    if value is None or isinstance(value, bool):
        return str(value)
    return json.dumps(value, ensure_ascii=False)


def calls_as_text(form, calls):
    """The calls as a model writes them. Its template expects them in the content."""
    functions = [call["function"] for call in calls]
    if form == "lfm":
        arguments = [", ".join(f"{k}={python_value(v)}" for k, v in one["arguments"].items()) for one in functions]
        written = [f"{one['name']}({given})" for one, given in zip(functions, arguments)]
        return f"<|tool_call_start|>[{', '.join(written)}]<|tool_call_end|>"
    texts = [json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in functions]
    return "".join(f"<tool_call>{text}</tool_call>" for text in texts)


def message_of(model, message):
    if "callsInContent" not in model or "tool_calls" not in message:
        return message
    text = calls_as_text(model["callsInContent"], message["tool_calls"])
    return {"role": "assistant", "content": message["content"] + text}


def rendered(template, model, case, tools, thinking, count, generate):
    """The first messages of a case."""
    system = [{"role": "system", "content": case["system"]}] if case["system"] else []
    return template.render(
        messages=system + [message_of(model, message) for message in case["messages"][:count]],
        tools=tools if case["hasTools"] else None,
        add_generation_prompt=generate,
        bos_token=model["bos"],
        eos_token=model["eos"],
        enable_thinking=thinking,
    )


def digests(template, model, case, tools, thinking):
    """One hash for each rendering, or the message with which the template refuses one of them."""
    messages = case["messages"]
    turns = [at for at, message in enumerate(messages) if message["role"] == "assistant"]
    try:
        texts = [rendered(template, model, case, tools, thinking, at, True) for at in turns]
        whole = rendered(template, model, case, tools, thinking, len(messages), case["generate"])
    except Exception as error:
        return str(error)
    texts.append(whole if case["generate"] else whole[: whole.rindex(model["eos"]) + len(model["eos"])])
    return [hashlib.sha256(unicodedata.normalize("NFC", text).encode()).hexdigest()[:12] for text in texts]


def main():
    models = json.loads((HERE / "models.json").read_text())
    suite = json.loads((HERE / "cases.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "clone", "-q", "--bare", LLAMA / "gitRelease.bundle", folder], check=True)
        show = lambda path: subprocess.run(
            ["git", "-C", folder, "show", f"HEAD:models/{path}"], check=True, capture_output=True
        ).stdout
        hashes = {}
        for model in models:
            if "template" in model:
                source = show(f"templates/{model['template']}.jinja").decode()
            else:
                source = metadata_template(show(f"ggml-vocab-{model['vocabulary']}.gguf"))
            template = compiled(source)
            for thinking in [False, True] if "enable_thinking" in source and "neverThinks" not in model else [False]:
                name = model["name"] + (" with thoughts" if thinking else "")
                hashes[name] = {
                    case["name"]: digests(template, model, case, suite["tools"], thinking) for case in suite["cases"]
                }
    release = json.loads((LLAMA / "llama.cpp.info.json").read_text())["tag"]
    written = {"jinja2": jinja2.__version__, "llamaCpp": release, "hashes": hashes}
    (HERE / "reference.json").write_text(json.dumps(written, ensure_ascii=False, indent=1) + "\n")


main()
