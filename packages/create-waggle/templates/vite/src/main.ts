import { createAgent } from "@waggle/embed";
import "@waggle/embed/element";
import { site } from "virtual:waggle/site";
import "./style.css";
import { watchReservations } from "./tools.ts";

const list = document.querySelector("#reservations");
watchReservations((reservations) => {
  const items = reservations.map(({ room, day, time }) => {
    const item = document.createElement("li");
    item.textContent = `${day}, ${time}: ${room}`;
    return item;
  });
  list?.replaceChildren(...items);
});

const panel = document.querySelector("waggle-agent");
if (panel !== null) {
  panel.texts = site.panelTexts;
  panel.suggestions = site.suggestions;
  panel.agent = createAgent(site);
}
