/** Compares with the library's own `Template`. */
import { Template as LibraryTemplate } from "@huggingface/jinja";
import { expect, test } from "vitest";
import { Template } from "./template.ts";

test.for([
  "{{ range(3) | list | tojson }} {{ range(2, 5) | list | tojson }}",
  "{% for i in range(7, 0, -3) %}{{ i }},{% endfor %}{{ range(0, 3, -1) | list | length }}",
  "{{ 1 if true == True }} {{ 2 if false == False }} {{ 3 if none is none }} {{ 4 if None is none }}",
  "{% set ns = namespace(n=1) %}{% for i in range(1, 6, 2) %}{% set ns.n = ns.n * i %}{% endfor %}{{ ns.n }}",
  "  {% if tools is none %}\n  no tools\n  {% endif %}\n{{ messages[0].content }}",
])("%s renders like the library's template", (source) => {
  const variables = { tools: null, messages: [{ role: "user", content: "Hello." }] };
  expect(new Template(source).render(variables)).toBe(
    new LibraryTemplate(source).render(variables),
  );
});

test("variables shadow globals, and exceptions of a template are thrown", () => {
  expect(new Template("{{ range }}").render({ range: "mine" })).toBe("mine");
  const raising = new Template("{{ raise_exception('roles must alternate') }}");
  expect(() => raising.render({})).toThrow("roles must alternate");
  expect(() => new Template("{{ range(1, 2, 0) }}").render({})).toThrow("range()");
});

test("values are printed as Python prints them", () => {
  const source = [
    "{% macro show(x) %}{{ x }}{% endmacro %}",
    "{% for x in values %}{{ x }} {{ values[loop.index0] }} {{ show(x) }};{% endfor %}",
    "{{ true }} {{ False }} {{ none }} [{{ missing }}] {{ not yes }} {{ yes is none }} {{ 1 < 2 }} {{ 1 + 1 }}",
  ].join("");
  const values = [null, true, 3, 0.5, "it's", ["a", "it's", 'q"'], { a: { b: [null, false] } }];
  const printed = [
    "None",
    "True",
    "3",
    "0.5",
    "it's",
    `['a', "it's", 'q"']`,
    "{'a': {'b': [None, False]}}",
  ];
  expect(new Template(source).render({ values, yes: false })).toBe(
    `${printed.map((text) => `${text} ${text} ${text};`).join("")}True False None [] True False True 2`,
  );
});
