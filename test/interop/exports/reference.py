"""
Renders exported rows as TRL does, with Python's Jinja2 configured as Transformers configures it, and writes hashes to
reference.json: per conversation, of its text without the whitespace at its end, and of what is inside
`{% generation %}`. Run by hand: node test/interop/exports/write-rows.ts | python3 test/interop/exports/reference.py

Sources: TRL, `trl/data_utils.py` (`_tokenize`) and `_prepare_dataset` of `trl/trainer/{sft,dpo,kto}_trainer.py` at
f2cd577; Transformers, `utils/chat_template_utils.py` (`_compile_jinja_template`, `AssistantTracker`).
"""
import functools
import hashlib
import json
import pathlib
import sys
import unicodedata

import jinja2
import jinja2.nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment


class AssistantTracker(Extension):
    """Collects what is inside `{% generation %}`."""

    tags = {"generation"}

    def __init__(self, environment):
        super().__init__(environment)
        environment.generated = []

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        call = self.call_method("_generation")
        return jinja2.nodes.CallBlock(call, [], [], body).set_lineno(line)

    @jinja2.pass_eval_context
    def _generation(self, context, caller):
        text = caller()
        self.environment.generated.append(text)
        return text


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def environment():
    jinja = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[AssistantTracker, loopcontrols]
    )
    filters, names = jinja.filters, jinja.globals
    filters["tojson"] = tojson
    names["raise_exception"] = raise_exception
    names["strftime_now"] = lambda form: "the day of training"
    return jinja


MADE = environment()
compiled = functools.cache(MADE.from_string)


def rendered(model, row, messages, **settings):
    MADE.generated.clear()
    settings = {"tools": row.get("tools"), **settings, **row.get("chat_template_kwargs", {})}
    template = compiled(settings.pop("chat_template", model["source"]))
    tokens = {"bos_token": model["bos"], "eos_token": model["eos"]}
    text = template.render(messages=messages, **{"add_generation_prompt": False, **tokens, **settings})
    return text, "".join(MADE.generated)


def conversations(row):
    if "messages" in row:
        return [row["messages"]]
    completions = [row["completion"]] if "completion" in row else [row["chosen"], row["rejected"]]
    return [row["prompt"] + completion for completion in completions]


def digest_of(text):
    return hashlib.sha256(unicodedata.normalize("NFC", text).encode()).hexdigest()[:16]


def main():
    hashes = {}
    for line in sys.stdin:
        given = json.loads(line)
        model, row = given["model"], given["row"]
        found = []
        for messages in conversations(row):
            text, generated = rendered(model, row, messages)
            if "prompt" in row:
                prompt, _ = rendered(model, row, row["prompt"], add_generation_prompt=True)
                assert text.startswith(prompt), (model["name"], given["name"])
            found.append([digest_of(text.rstrip()), digest_of(generated.rstrip())])
        hashes.setdefault(model["name"], {})[given["name"]] = found
    written = {"jinja2": jinja2.__version__, "hashes": hashes}
    path = pathlib.Path(__file__).parent / "reference.json"
    path.write_text(json.dumps(written, ensure_ascii=False, indent=1) + "\n")


main()
