"""Writes cases.json: the conversations that ours and the models' own renderers are compared on."""
import json
import pathlib

SYSTEM = "You help in a shop. Answer briefly."


def call(name, **arguments):
    return {"name": name, "arguments": arguments}


def user(content):
    return {"role": "user", "content": content}


def said(content, *calls):
    message = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = [
            {"id": f"call{i:05d}", "type": "function", "function": one} for i, one in enumerate(calls)
        ]
    return message


def result(content):
    return {"role": "tool", "content": content}


LIST = call("list")
EVERY = call("search", query="a\n\tb", maxPrice=-3, sizes=[], only={"n": 0.5, "yes": True, "none": None, "deep": [[1], {}]})
CODE = "Look:\n\n```html\n<p class='x'>{{ a }} {% b %} <b>&amp;</b></p>\n```\n\n* one\n* two\n"
WEATHER = call("weather", city="Rome")
SEARCH = call("search", query="rain jacket", maxPrice=99.5, sizes=["S", "M"], only={"inStock": True, "brand": None})
ASK = user("What is the weather in Rome?")
PLAIN = "Sunny, 21 C"
OBJECT = '{"items": [{"id": "p1", "title": "Jacket \\"Rain\\"", "price": 7}], "total": 1}'
ODD = "Größe 42, 日本語, 👩🏽‍🚀, e\u0301, \u05e9\u05dc\u05d5\u05dd, a\u00a0b, line\u2028separator, \\ and \"quotes\""

CASES = {
    "user": ("", False, [ASK], True),
    "system": (SYSTEM, False, [ASK], True),
    "tools": ("", True, [ASK], True),
    "system and tools": (SYSTEM, True, [ASK], True),
    "no generation prompt": (SYSTEM, True, [ASK, said("Sunny.")], False),
    "two requests": (SYSTEM, False, [ASK, said("Sunny."), user("And tomorrow?")], True),
    "call and text result": (SYSTEM, True, [ASK, said("", WEATHER), result(PLAIN)], True),
    "call with text": (SYSTEM, True, [ASK, said("I look it up.", WEATHER), result(PLAIN)], True),
    "call without result": ("", True, [ASK, said("", SEARCH)], False),
    "JSON result": (SYSTEM, True, [ASK, said("", SEARCH), result(OBJECT)], True),
    "number result": (SYSTEM, True, [ASK, said("", WEATHER), result("21")], True),
    "empty result": (SYSTEM, True, [ASK, said("", WEATHER), result("")], True),
    "two calls": (
        SYSTEM, True, [ASK, said("", WEATHER, SEARCH), result(PLAIN), result(OBJECT)], True,
    ),
    "two rounds": (
        SYSTEM, True,
        [ASK, said("", WEATHER), result(PLAIN), said("Now jackets.", SEARCH), result(OBJECT), said("One jacket.")],
        False,
    ),
    "request after a result": (
        "", True, [ASK, said("", WEATHER), result(PLAIN), said("Sunny."), user("Thanks!")], True,
    ),
    "three requests": (SYSTEM, False, [ASK, said("Sunny."), user("And tomorrow?"), said("Rain."), user("Thanks!")], True),
    "two requests with calls": (
        SYSTEM, True,
        [ASK, said("", WEATHER), result(PLAIN), said("Sunny."), user("And jackets?"), said("", SEARCH), result(OBJECT)],
        True,
    ),
    "call without arguments": (SYSTEM, True, [ASK, said("", LIST), result("[]")], True),
    "arguments of every type": ("", True, [ASK, said("", EVERY), result("[]")], True),
    "markup": (CODE, True, [user(CODE), said(CODE, call("search", query=CODE)), result(CODE), said(CODE), ASK], True),
    "any characters": (
        ODD, True, [user(ODD), said("", call("search", query=ODD)), result(ODD), said(ODD), user(ODD)], True,
    ),
    "whitespace": (
        SYSTEM, True, [user("  Hello,\n\n  you\n"), said("", WEATHER), result("  a\n b \n\n")], True,
    ),
    "thought": (SYSTEM, False, [ASK, said("<think>\nRome is warm.\n</think>\n\nSunny.")], False),
}

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "search",
            "description": "Finds products; prices are in €.",
            "parameters": {
                "type": "object",
                "properties": {
                    "query": {"type": "string", "description": "words of the title"},
                    "maxPrice": {"type": "number"},
                    "sizes": {"type": "array", "items": {"type": "string", "enum": ["S", "M"]}},
                    "only": {"type": "object", "properties": {}},
                },
                "required": ["query"],
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "weather",
            "description": "The weather of a city.",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string", "description": "its name"}},
                "required": ["city"],
            },
        },
    },
]

path = pathlib.Path(__file__).with_name("cases.json")
cases = [
    {"name": name, "system": system, "hasTools": tools, "messages": messages, "generate": generate}
    for name, (system, tools, messages, generate) in CASES.items()
]
path.write_text(json.dumps({"tools": TOOLS, "cases": cases}, ensure_ascii=False, indent=1) + "\n")
