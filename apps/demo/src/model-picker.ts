/** The form that gives the assistant another model: the shop's own, one from an address, or the browser's. */
import type { Agent, AgentModel } from "@waggle/embed";
import { parseModelSource } from "@waggle/runtime";
import { createBrowserModel } from "@waggle/runtime/prompt-api";
import { required } from "@waggle/embed/dom";

const FORMATS = ["f32", "f16", "int8", "int4"] as const;

/** Connects the form to the agent. */
export function connectModelPicker(agent: Agent): void {
  const form = required("models-form", HTMLFormElement);
  const fields = required("models-address-fields", HTMLElement);
  const address = required("models-address", HTMLInputElement);
  const format = required("models-format", HTMLSelectElement);
  const note = required("models-note", HTMLElement);
  const browserNote = required("models-browser", HTMLElement);
  const browser = createBrowserModel({
    createOptions: { expectedOutputs: [{ type: "text", languages: ["en"] }] },
  });
  const choices = form.querySelectorAll<HTMLInputElement>('[name="model"]');
  const choice = (): string => [...choices].find((input) => input.checked)?.value ?? "site";

  const chosen = (): AgentModel => {
    switch (choice()) {
      case "address": {
        const source = parseModelSource(address.value);
        const dtype = FORMATS.find((name) => name === format.value);
        return { kind: "address", source, ...(dtype !== undefined && { dtype }) };
      }
      case "browser":
        return { kind: "chat", name: "the browser's model", source: browser };
      default:
        return { kind: "site" };
    }
  };
  const update = (): void => {
    fields.hidden = choice() !== "address";
    address.required = !fields.hidden;
  };

  form.addEventListener("input", () => {
    note.textContent = "";
    update();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    let model: AgentModel;
    try {
      model = chosen();
    } catch (error) {
      note.textContent = messageOf(error);
      address.focus();
      return;
    }
    note.textContent = "Loading; the assistant shows the progress.";
    agent.setModel(model).then(
      () => {
        if (agent.model === model) note.textContent = `The assistant runs on ${agent.backend}.`;
      },
      (error: unknown) => {
        if (agent.model === model) note.textContent = messageOf(error);
      },
    );
  });
  update();

  const browserChoice = form.querySelector<HTMLInputElement>('[value="browser"]');
  browser.availability().then(
    (availability) => {
      if (browserChoice !== null) browserChoice.disabled = availability === "unavailable";
      browserNote.textContent = {
        unavailable: "not in this browser",
        downloadable: "downloadable by the browser",
        downloading: "downloading",
        available: "ready",
      }[availability];
    },
    () => {
      browserNote.textContent = "not in this browser";
    },
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
