import { expect, test } from "vitest";
import { h } from "./dom.ts";

test("a string is text, never markup", () => {
  expect(h("p", {}, "<b>bold</b>", h("i", {}, "x")).innerHTML).toBe(
    "&lt;b&gt;bold&lt;/b&gt;<i>x</i>",
  );
});

test("false and null leave an attribute out, true sets it empty, null is no child", () => {
  const button = h(
    "button",
    { id: "a", tabindex: 2, hidden: true, disabled: false, title: null },
    null,
  );
  expect(button.outerHTML).toBe('<button id="a" tabindex="2" hidden=""></button>');
});

test("a function listens to the event it is named after", () => {
  const heard: string[] = [];
  h("button", { click: ({ type }) => heard.push(type) }).click();
  expect(heard).toEqual(["click"]);
});
