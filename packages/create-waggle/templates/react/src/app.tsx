import { useSyncExternalStore } from "react";
import { Assistant } from "./assistant.tsx";
import { shownCards, watchCards } from "./board-store.ts";
import { COLUMNS } from "./board.ts";

export function App() {
  const cards = useSyncExternalStore(watchCards, shownCards);
  return (
    <>
      <main>
        <h1>Board</h1>
        <div className="columns">
          {COLUMNS.map((column) => (
            <section key={column}>
              <h2>{column}</h2>
              <ul>
                {cards
                  .filter((each) => each.column === column)
                  .map(({ card, project, days }) => (
                    <li key={card}>
                      {card} {project}, {days} {days === 1 ? "day" : "days"}
                    </li>
                  ))}
              </ul>
            </section>
          ))}
        </div>
      </main>
      <Assistant />
    </>
  );
}
