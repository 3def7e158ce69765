import { expect, test } from "vitest";
import { h } from "./dom.ts";

test("a string is text, never markup", () => {
  expect(h("p", {}, "<b>bold</b>", h("i", {}, "x")).innerHTML).toBe(
    "&lt;b&gt;bold&lt;/b&gt;<i>x</i>",
  );
});

test("false and null leave an attribute out, true sets it empty, and a null child is left out", () => {
  const button = h(
    "button",
    { id: "a", tabindex: 2, hidden: true, disabled: false, title: null },
    null,
  );
  expect(button.outerHTML).toBe('<button id="a" tabindex="2" hidden=""></button>');
});

test("a function becomes a listener for the event in its attribute's name", () => {
  const heard: string[] = [];
  h("button", { click: ({ type }) => heard.push(type) }).click();
  expect(heard).toEqual(["click"]);
});
