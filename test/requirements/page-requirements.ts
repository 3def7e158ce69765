/** Requirements of the page: agent, embedding, collecting, and the views of visitors and operators. Pure data. */
import type { Requirement } from "./requirement.ts";

export const PAGE_REQUIREMENTS: readonly Requirement[] = [
  {
    id: "agent:roll-out",
    source: "docs/design.md, The tree",
    behavior:
      "Pages, tests and the trainer share one driver, with parallel calls, budgets, abort and stop reasons.",
    tests: [
      "packages/agent/src/roll-out.test.ts > parallel calls of a turn reach the environment together and in order",
      "packages/agent/src/roll-out.test.ts > the turn limit ends the rollout before the policy samples again",
      "packages/agent/src/roll-out.test.ts > an abort in the middle of a turn keeps the sampled tokens",
      "packages/agent/src/roll-out.test.ts > an unreadable call becomes an observation, and a readable call resets the count",
    ],
  },
  {
    id: "agent:conversation",
    source: "docs/design.md, decision 1",
    behavior:
      "Each request of a conversation is a trajectory of its own, and no token is trained twice.",
    tests: [
      "packages/agent/src/conversation.test.ts > a second request continues the context and records earlier tokens as given",
    ],
  },
  {
    id: "agent:mcp",
    source: "Model Context Protocol, Streamable HTTP",
    behavior: "Edge tools use MCP, also in pages that forbid eval.",
    tests: [
      "packages/agent/src/mcp-tools.test.ts > listed tools run on the server and return its results",
      "packages/agent/src/eval-free.browser.test.ts > a request with page and MCP tools runs in a page that forbids eval",
      "workers/edge/src/routes/mcp.test.ts > the official client finds the edge tools with their schemas",
    ],
  },
  {
    id: "agent:mcp-whole",
    source: "Model Context Protocol, tools, lifecycle and Streamable HTTP",
    behavior:
      "Every block and number of an MCP result arrives. Lost sessions are opened again, changed lists are followed, and an abort stays an abort and reaches the server. A server that wants authorization is named as the reason.",
    tests: [
      "packages/agent/src/mcp-tools.test.ts > a server that answers %i is %s, and is not tried again",
      "test/contract/mcp-everything.test.ts > the result of %s arrives whole",
      "packages/agent/src/mcp-result.test.ts > several blocks arrive as an array, none joined and none left out",
      "packages/agent/src/mcp-result.test.ts > numbers that JavaScript cannot hold arrive in the text of the result",
      "packages/agent/src/mcp-session.test.ts > a lost session is opened again, once for all calls that lost it",
      "packages/agent/src/mcp-session.test.ts > the tools follow the server's changed list",
      "packages/agent/src/mcp-session.test.ts > an aborted call rejects with the abort's reason, and the server is told",
      "packages/agent/src/mcp-session.test.ts > a stateless server of the newest protocol is told of an abort too",
    ],
  },
  {
    id: "page:tool-titles",
    source: "Model Context Protocol, tools",
    behavior:
      "The visitor reads the title of an edge or MCP tool as plain text, and the policy does not read it.",
    tests: [
      "packages/agent/src/mcp-tools.test.ts > a tool has the title that the server lists, or that of its annotations, and whether it changes something",
      "packages/embed/src/site-tools.test.ts > the visitor reads the title of a server's tool, and the policy does not",
      "packages/embed/src/element/waggle-agent.browser.test.ts > text of the policy and of tools is never markup",
    ],
  },
  {
    id: "page:own-tools",
    source: "packages/embed/README.md, Tools",
    behavior:
      "An assistant has its page's tools and the edge tools that the page names. No tool result ends a request.",
    tests: [
      "packages/embed/src/site-tools.test.ts > a page has its own tools and requests none from the edge",
      "packages/embed/src/site-tools.test.ts > a page tool may have the same name as one of the shop's edge tools",
      "packages/embed/src/tool-results.test.ts > every kind of tool result leaves a running request and a valid record",
      "packages/agent/src/tool-value.test.ts > a result may be as long as the limit but no longer",
      "workers/edge/src/routes/mcp.test.ts > a site that configures no edge tools serves none",
    ],
  },
  {
    id: "page:readable",
    source: "packages/embed/README.md, When something is wrong",
    behavior:
      "Visitors never see tool-call markup, special tokens or JSON of the policy, wherever a call breaks off. The record keeps the sampled text.",
    tests: [
      'packages/embed/src/broken-markup.test.ts > %s, cut at every character, after "${lead}"',
      "packages/embed/src/broken-markup.test.ts > the record keeps the text of a turn that a limit cut",
      "packages/embed/src/broken-markup.test.ts > JSON of a chat, cut at every character, is never shown",
      "packages/text/src/visible-text.test.ts > no prefix of a stream shows markup, and shown text stays",
      "packages/embed/src/unreadable-answer.test.ts > an answer without readable text becomes one plain sentence",
      "packages/embed/src/unreadable-answer.test.ts > the record keeps the sampled text",
    ],
  },
  {
    id: "page:last-good-policy",
    source: "packages/embed/README.md, When something is wrong",
    behavior:
      "A policy that does not load leaves no page without an assistant, and a page follows the operator's switches.",
    tests: [
      "packages/embed/src/damaged-policy.browser.test.ts > a page answers with the last good policy if the published one is damaged",
      "packages/embed/src/policy-follower.test.ts > a failed version is reported once and retried after 1, 2, 4, … up to 60 minutes",
      "packages/embed/src/damaged-policy.browser.test.ts > a silenced page refuses requests and answers again when the switch is lifted",
      "packages/embed/src/damaged-policy.browser.test.ts > an open page goes back to the base when the operator says so",
    ],
  },
  {
    id: "page:paced",
    source: "RFC 9110, section 10.2.3; RFC 6585, section 4",
    behavior:
      "A page that sends too many requests waits as long as the edge says, and loses neither a rollout nor a tool call.",
    tests: [
      "packages/embed/src/simulation.test.ts > without a task one worker asks again after the requested wait, and no rollout is lost",
      "packages/embed/src/remote-tools.test.ts > a rate-limited call waits for Retry-After and does not fail",
      "packages/collector/src/edge-session.test.ts > 204 and 429 answers to an assignment are retryable errors with the edge's delay",
      "workers/edge/src/routes/sessions.test.ts > each trajectory of an upload counts against the limit",
    ],
  },
  {
    id: "collector:consent",
    source: "docs/design.md, The life of a trajectory, 3",
    behavior:
      "Without consent to the current text, for this use and in this time, nothing leaves the page; edge and trainer refuse the rest.",
    tests: [
      "packages/collector/src/uploader.test.ts > without consent no request leaves the page",
      "packages/collector/src/consent-store.test.ts > a consent to an older text does not count, and the visitor is undecided again",
      "packages/collector/src/consent-changes.test.ts > nothing is sent after the consent has expired",
      "packages/collector/src/consent-changes.test.ts > outcomes and feedback need consent to feedback",
      "workers/edge/src/consent.test.ts > a consent that is older than the site allows is refused, and nothing is stored",
      "workers/edge/src/consent.test.ts > a trajectory without consent to training is stored and never leased",
      "trainer/src/check/consent-check.test.ts > a consent %s: %o is answered with %s",
    ],
  },
  {
    id: "collector:outbox",
    source: "docs/design.md, The life of a trajectory, 3",
    behavior:
      "The outbox survives reloads and offline periods, is shared by tabs, and sends each trajectory once.",
    tests: [
      "packages/collector/src/outbox.browser.test.ts > in a real browser, two tabs share one database and every trajectory arrives once",
      "packages/collector/src/uploader.test.ts > a batch whose answer was lost is sent again and counts once at the edge",
      "packages/collector/src/uploader.test.ts > delays double with jitter and are reset after a success",
    ],
  },
  {
    id: "collector:forget-me",
    source: "docs/design.md, The life of a trajectory, 4",
    behavior:
      "Forget me deletes the data at the edge, then in the page, and names the versions that had learned from it.",
    tests: [
      "packages/collector/src/uploader.test.ts > forget me deletes at the edge and then on this device",
      "workers/edge/src/routes/visitor.test.ts > deletes rows, objects, feedback and assignments of the visitor and no others",
      "workers/edge/src/routes/visitor.test.ts > returns every version published since the first step that learned from the visitor",
    ],
  },
  {
    id: "collector:identity-by-consent",
    source: "issue 13, section 3",
    behavior:
      "A lasting id exists only with consent, nothing is written for a forgotten visitor, and an operator can export and delete by visitor.",
    tests: [
      "test/e2e/visitor.test.ts > the page stores no id before consent, one after it and none after withdrawal",
      "packages/collector/src/visitor-identity.test.ts > a token stored by the previous release is kept with consent and removed on load without",
      "workers/edge/src/forgotten-visitor.test.ts > requests that race with the deletion leave nothing behind",
      "workers/edge/src/routes/operator-visitors.test.ts > the operator deletes one visitor and is told which versions learned from them",
      "workers/edge/src/routes/operator-visitors.test.ts > visitors of the previous session secret can still delete after a rotation",
    ],
  },
  {
    id: "embed:fifteen-lines",
    source: "README, Embed it",
    behavior:
      "At most 15 lines embed the agent, and exactly those lines work with the packed packages in an empty Vite project.",
    tests: [
      "test/e2e/embed.test.ts > the README embeds the assistant in at most 15 lines",
      "test/e2e/embed.test.ts > the policy in the packed worker answers a request, and nothing is sent",
    ],
  },
  {
    id: "embed:panel",
    source: "WAI-ARIA 1.2",
    behavior:
      "The panel streams answers, shows calls, can be stopped, collects thumbs and consent, and works by keyboard.",
    tests: [
      "packages/embed/src/element/waggle-agent.browser.test.ts > Enter sends, a running call is shown, Stop ends it, and a developer sees the policy version",
      "packages/embed/src/element/waggle-agent.browser.test.ts > Tab visits the whole panel in reading order",
      "packages/embed/src/element/waggle-agent.browser.test.ts > text of the policy and of tools is never markup",
    ],
  },
  {
    id: "embed:texts",
    source: "packages/embed/README.md, Texts of the panel",
    behavior:
      "A site can replace every text of the panel, and write labels of tools in its languages. Names, arguments and versions appear only for developers.",
    tests: [
      "packages/embed/src/page-tool.test.ts > a label has the text of the visitor's language, or its first: %#",
      "packages/embed/src/site-tools.test.ts > the title of an edge tool is in the language of the page, also from the stored list",
      "packages/embed/src/element/panel-texts.browser.test.ts > the panel shows no text that cannot be replaced",
      "packages/embed/src/element/panel-texts.browser.test.ts > $language.code translates every English text",
      "packages/embed/src/element/sent-detail.browser.test.ts > a visitor reads in plain words what was recorded, and sees no JSON, code or version",
      "packages/embed/src/element/panel.browser.test.ts > a visitor reads what a tool does, without names, arguments, versions or the back end",
      "packages/embed/src/element/panel.browser.test.ts > the panel is styled without a style element",
    ],
  },
  {
    id: "embed:visitor-decides",
    source: "packages/embed/README.md, Tools",
    behavior:
      "A tool with `confirm` runs only if the visitor allows it, as does a call that changes something and of which the model is unsure. Thumbs say whether the site gets them.",
    tests: [
      "packages/embed/src/visitor-view.test.ts > a tool with confirm runs only after the visitor allows it, and a label is for the visitor alone",
      "packages/embed/src/page-tool.test.ts > a function decides by the arguments whether and what the visitor is asked",
      "packages/embed/src/page-tool.test.ts > a function that %s asks with the label",
      "packages/agent/src/tool-environment.test.ts > a tool that asks runs only if it is allowed, and its time limit begins after the answer",
      "packages/embed/src/unsure-calls.test.ts > an unsure call waits for the visitor, and a refused one does not run",
      "packages/embed/src/unsure-calls.test.ts > simulated visitors are never asked, and their records are what the policy did",
      "apps/demo/src/typed-requests/asking-results.test.ts > a sweep gives what playing at each threshold gives",
      "packages/embed/src/visitor-view.test.ts > feedback says whether the site gets it",
      "packages/embed/src/element/panel.browser.test.ts > the undecided consent question leaves room for answers, and its text can be unfolded",
      "test/e2e/visitor.test.ts > the open consent question hides no answer, with an item in the cart, on a small desktop and a phone",
    ],
  },
  {
    id: "embed:kept-conversation",
    source: "packages/embed/README.md, The panel",
    behavior:
      "The conversation survives a reload and a change of page in the same tab, the model reads its newest part again, and Forget me removes it.",
    tests: [
      "test/e2e/visitor.test.ts > a conversation survives a reload and a second page of the site, and another tab does not show it",
      "packages/embed/src/restored-context.test.ts > after a reload the model reads the same tokens as without one, all of them given",
      "packages/embed/src/restored-context.test.ts > text from before the consent is not part of a record, and is read again without consent",
      "packages/embed/src/visitor-view.test.ts > a conversation survives a reload of the page, and forget me removes it from the tab",
      "packages/embed/src/visitor-view.test.ts > after a reload a thumb is still there with its outcome, and the same thumb is not sent again",
      "packages/embed/src/element/panel.browser.test.ts > a conversation that the tab kept shows its thumb as pressed, with its sentence",
    ],
  },
  {
    id: "embed:swap",
    source: "docs/design.md, The life of a trajectory, 6",
    behavior: "A newer policy replaces that of an open page without a reload.",
    tests: [
      "packages/embed/src/create-agent.test.ts > a newer policy replaces the old one without a reload and gives the next answer",
      "test/e2e/loop.test.ts > one policy is published, promoted and swapped into every page without a reload",
    ],
  },
  {
    id: "embed:own-model",
    source: "packages/embed, AgentOptions.model",
    behavior:
      "A model of the visitor's choice answers instead of the site's, and none of its data is collected.",
    tests: [
      "packages/embed/src/set-model.test.ts > another model answers instead of the site's, collects nothing and does no tasks",
      "packages/embed/src/own-model-host.browser.test.ts > a visitor's model answers, follows no manifest, and loads from storage the next time",
      "packages/embed/src/set-model.test.ts > a model chosen while another loads is the one that answers",
      "test/e2e/model-picker.test.ts > a model from a URL answers in the panel without the site's edge or a consent question",
    ],
  },
  {
    id: "dashboard:viewer",
    source: "apps/dashboard",
    behavior:
      "The operator sees trajectories token by token, colored by log-prob, with calls, group, reward and advantage.",
    tests: [
      "apps/dashboard/src/trajectory-view.browser.test.ts > tokens are colored by the chosen measure",
      "apps/dashboard/src/trajectory-view.browser.test.ts > arrow keys move between tokens, and each is explained",
      "apps/dashboard/src/token-text.test.ts > every token has a text, and together they are the segment's text",
    ],
  },
  {
    id: "visitor:simulated",
    source: "README, Two commands",
    behavior: "The label beside the demo's switch starts and stops simulated visitors.",
    tests: [
      "test/e2e/visitor.test.ts > the label beside the switch starts and stops simulated visitors",
    ],
  },
  {
    id: "visitor:no-isolation",
    source: "README, Embed it",
    behavior:
      "On a host page without cross-origin isolation the agent answers on one thread and acts on the page.",
    tests: [
      "test/e2e/visitor.test.ts > without cross-origin isolation the agent answers on one thread and acts on the page",
    ],
  },
  {
    id: "visitor:offline",
    source: "README, Embed it",
    behavior:
      "After the first load it works offline, and recorded trajectories are sent when the network is back.",
    tests: [
      "test/e2e/visitor.test.ts > after the first load it works offline, and its trajectories are sent when the network is back",
    ],
  },
  {
    id: "visitor:private",
    source: "docs/design.md, decision 1",
    behavior:
      "In the real page nothing leaves without consent, personal data never leaves, and forget me deletes everywhere.",
    tests: [
      "test/e2e/visitor.test.ts > without consent nothing of a conversation leaves the page",
      "test/e2e/visitor.test.ts > an e-mail address and a card number are replaced before they are stored or sent",
      "test/e2e/visitor.test.ts > What I sent lists an answer, and Forget me deletes it at the edge and in the browser",
    ],
  },
  {
    id: "visitor:accessible",
    source: "WAI-ARIA 1.2",
    behavior: "The page is usable by keyboard and every control has a name.",
    tests: [
      "test/e2e/visitor.test.ts > the keyboard alone reaches the input, sends and stops, and the answer is announced",
      "test/e2e/visitor.test.ts > every control of the page and of the panel has an accessible name",
    ],
  },
  {
    id: "visitor:thumb",
    source: "docs/design.md, The life of a trajectory, 4",
    behavior: "Feedback in the page reaches the edge with its trajectory.",
    tests: [
      "test/e2e/visitor.test.ts > feedback on an answer reaches the edge with the id of its trajectory",
    ],
  },
  {
    id: "page:weight",
    source: "docs/how-to/add-to-a-page.md, Weight",
    behavior:
      "A page loads little code before its first token, and no WASM file for a small model.",
    tests: [
      "test/e2e/page-size.test.ts > a page loads at most 150 KB of compressed JavaScript before its first token, and no WASM for a small model",
    ],
  },
  {
    id: "page:assets",
    source: "docs/how-to/add-to-a-page.md",
    behavior:
      "A page without a bundler works with files on another origin, also under a strict Content Security Policy.",
    tests: [
      "test/e2e/assets.test.ts > the list has every file with the hash that browsers check",
      "test/e2e/assets.test.ts > %s: a page on another origin than its files answers a request",
      "test/e2e/assets.test.ts > under a strict Content Security Policy without unsafe-inline the panel is styled and answers",
    ],
  },
  {
    id: "page:webpack",
    source: "docs/how-to/add-to-a-page.md",
    behavior: "A page that webpack builds from the packed packages answers a request.",
    tests: [
      "test/e2e/webpack.test.ts > a page that webpack builds answers: %s, %s",
      "test/e2e/install.test.ts > a computed import() without the comment %s is reported",
    ],
  },
  {
    id: "page:frameworks",
    source: "docs/how-to/add-to-a-page.md",
    behavior: "Pages of Vue, Svelte and Next (Turbopack and webpack) answer a request.",
    tests: [
      "test/e2e/frameworks.test.ts > a page of %s that %s builds answers",
      "packages/embed/src/element/server.test.ts > a server can import the element, which then defines nothing",
    ],
  },
  {
    id: "page:react",
    source: "docs/how-to/add-to-a-page.md",
    behavior: "React components create an agent, show it in the element, and read its state.",
    tests: [
      "test/e2e/react.test.ts > in a page of React that Vite builds, the assistant answers and changes the page's state",
      "packages/embed/src/react/use-agent.browser.test.ts > a component has one agent, which the element shows, until the component is gone",
      "packages/embed/src/react/use-agent.browser.test.ts > useAgentState renders again after each change, and has nothing without an agent",
      "packages/embed/src/react/use-agent.browser.test.ts > an element without an agent is empty",
      "packages/embed/src/element/waggle-agent.browser.test.ts > setting equal suggestions and texts keeps what the visitor is writing",
    ],
  },
  {
    id: "page:use-chat",
    source: "docs/how-to/add-to-a-page.md",
    behavior: "The AI SDK's useChat asks the agent, and a chat that is not the agent's is refused.",
    tests: [
      "test/e2e/react.test.ts > shows a streamed answer with its tool calls, and repeats it",
      "packages/embed/src/ai-sdk/chat-transport.test.ts > a new chat forgets the conversation that the agent has kept",
      "packages/embed/src/ai-sdk/chat-transport.test.ts > an answer becomes steps, text, tool calls with results, and metadata",
      "packages/embed/src/ai-sdk/chat-transport.test.ts > a tool that throws is an error of its call, and the answer goes on",
      "packages/embed/src/ai-sdk/chat-transport.test.ts > regenerate repeats the last request, and the new answer replaces the last one",
      "packages/embed/src/ai-sdk/chat-transport.test.ts > stop ends the answer and keeps its text, and the next message is answered",
      "packages/embed/src/ai-sdk/chat-transport.test.ts > a request that fails is the chat's error, and it can be repeated",
      "packages/embed/src/ai-sdk/chat-transport.test.ts > %s is refused with a reason",
      "packages/embed/src/ai-sdk/chat-transport.test.ts > a second chat on the same agent is refused, and no stream can be resumed",
    ],
  },
  {
    id: "page:withdrawal",
    source: "docs/design.md, The life of a trajectory",
    behavior: "What was not sent when consent is withdrawn is never sent.",
    tests: [
      "packages/embed/src/collecting.test.ts > what was not sent is removed at once",
      "packages/embed/src/collecting.test.ts > a page that was offline at the withdrawal removes it before its uploader starts",
    ],
  },
];
