/** Styles of the panel. Every color is a custom property with a light and a dark value. */
export const STYLES = `
:host {
  --_accent: var(--waggle-accent, light-dark(#b45309, #fbbf24));
  --_on-accent: var(--waggle-on-accent, light-dark(#fff, #1c1206));
  --_surface: var(--waggle-surface, light-dark(#fffdf9, #1a1815));
  --_raised: var(--waggle-raised, light-dark(#f6f1e7, #26231e));
  --_text: var(--waggle-text, light-dark(#231f18, #f2ede4));
  --_muted: var(--waggle-muted, light-dark(#6b6355, #a79f90));
  --_line: var(--waggle-line, light-dark(#e6decd, #38332b));
  --_good: var(--waggle-good, light-dark(#256c3a, #7fd398));
  --_bad: var(--waggle-bad, light-dark(#b3261e, #ffb4a9));
  --_radius: var(--waggle-radius, 14px);
  --_mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace;
  display: block;
  min-height: 22rem;
  color: var(--_text);
  font: 400 15px/1.5 var(--waggle-font, system-ui, sans-serif);
}
:host([hidden]), [hidden] { display: none !important }
*, *::before, *::after { box-sizing: border-box }
.panel {
  display: flex; flex-direction: column; height: 100%; min-height: inherit; overflow: hidden;
  background: var(--_surface); border: 1px solid var(--_line); border-radius: var(--_radius);
}
button { font: inherit; color: inherit; cursor: pointer; border: 0; background: none; padding: 0 }
button:disabled { cursor: default; opacity: .45 }
:focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; border-radius: 6px }
.icon { width: 16px; height: 16px; fill: none; stroke: currentColor; stroke-width: 1.5;
  stroke-linecap: round; stroke-linejoin: round; flex: none }
.hidden-text { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }

header { display: grid; grid-template-columns: 1fr auto auto; align-items: center; column-gap: .5rem; padding: .65rem .5rem .65rem 1rem;
  border-bottom: 1px solid var(--_line) }
header > .state { grid-area: 2 / 1 }
header > button { grid-row: 1 / span 2 }
h2 { margin: 0; font-size: 1rem; font-weight: 650; letter-spacing: -.01em }
.state { display: flex; align-items: center; gap: .4rem; color: var(--_muted);
  font-size: .8rem; line-height: 1.3; overflow-wrap: anywhere }
.state::before { content: ""; width: 7px; height: 7px; border-radius: 50%; background: var(--_muted); flex: none }
.state[data-state=ready]::before { background: var(--_good) }
.state[data-state=error]::before { background: var(--_bad) }
.state[data-state=busy]::before, .state[data-state=loading]::before { background: var(--_accent); animation: pulse 1.2s ease-in-out infinite }
@keyframes pulse { 50% { opacity: .25 } }
.tool-button { display: inline-flex; align-items: center; gap: .35rem; min-height: 32px; padding: .3rem .55rem;
  border-radius: 8px; font-size: .8rem; color: var(--_muted); white-space: nowrap }
.tool-button:hover { background: var(--_raised); color: var(--_text) }
.tool-button[aria-pressed=true] { color: var(--_accent); background: var(--_raised) }
progress { appearance: none; display: block; width: 100%; height: 3px; border: 0; background: var(--_line) }
progress::-webkit-progress-bar { background: var(--_line) }
progress::-webkit-progress-value { background: var(--_accent); transition: width .2s }
progress::-moz-progress-bar { background: var(--_accent) }

.view { flex: 1; min-height: 0; overflow-y: auto; overscroll-behavior: contain; padding: 1rem;
  scrollbar-width: thin; scrollbar-color: var(--_line) transparent }
.log { display: flex; flex-direction: column; gap: .9rem }
.empty { margin: auto 0; color: var(--_muted); display: grid; gap: .8rem; justify-items: start }
.empty p { margin: 0; max-width: 34ch }
.suggestions { display: flex; flex-direction: column; gap: .4rem; align-items: flex-start }
.suggestion { text-align: left; padding: .45rem .7rem; border: 1px solid var(--_line); border-radius: 10px;
  color: var(--_text); font-size: .88rem }
.suggestion:hover:not(:disabled) { border-color: var(--_accent) }
.request { align-self: flex-end; max-width: 86%; padding: .5rem .8rem; border-radius: 14px 14px 4px 14px;
  background: var(--_accent); color: var(--_on-accent); white-space: pre-wrap; overflow-wrap: anywhere }
.answer { display: grid; gap: .45rem; max-width: 100%; min-width: 0 }
.text { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere }
.answer[aria-busy=true] .text:last-of-type::after { content: ""; display: inline-block; width: .5ch; height: 1em;
  margin-left: 2px; vertical-align: -.15em; background: var(--_accent); animation: pulse 1s steps(2) infinite }
.thinking { display: inline-flex; gap: 4px; padding: .4rem 0 }
.thinking i { width: 6px; height: 6px; border-radius: 50%; background: var(--_muted); animation: pulse 1.2s infinite }
.thinking i:nth-child(2) { animation-delay: .15s } .thinking i:nth-child(3) { animation-delay: .3s }
.note { margin: 0; color: var(--_muted); font-size: .82rem }
.note.bad { color: var(--_bad) }
.actions { display: flex; gap: .1rem; margin-left: -.4rem; align-items: center }
.actions .said { margin-left: .4rem; color: var(--_muted); font-size: .8rem }
.actions .version { margin-left: auto; color: var(--_muted); font: .72rem var(--_mono) }

.tool { border: 1px solid var(--_line); border-radius: 10px; background: var(--_raised); font-size: .84rem; min-width: 0 }
.tool .line { display: flex; align-items: center; gap: .5rem; padding: .4rem .6rem; list-style: none; min-width: 0 }
details.tool .line { cursor: pointer }
.tool summary::-webkit-details-marker { display: none }
.tool .mark { display: grid; place-items: center; width: 16px; height: 16px; color: var(--_good); flex: none }
.tool[data-state=failed] .mark { color: var(--_bad) }
.tool[data-state=running] .mark { color: var(--_accent) }
.spinner { width: 12px; height: 12px; border: 2px solid var(--_line); border-top-color: var(--_accent);
  border-radius: 50%; animation: spin .7s linear infinite }
@keyframes spin { to { rotate: 1turn } }
.tool .name { font-weight: 550; overflow-wrap: anywhere }
details.tool .name { white-space: nowrap }
.tool .brief { color: var(--_muted); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-width: 0; flex: 1;
  font-family: var(--_mono); font-size: .92em }
.tool .where { color: var(--_muted); font-size: .72rem; border: 1px solid var(--_line); border-radius: 99px; padding: 0 .45rem }
.tool dl { margin: 0; padding: .1rem .6rem .6rem; display: grid; gap: .2rem }
.tool dt { color: var(--_muted); font-size: .72rem }
.tool dd { margin: 0 }
pre { margin: 0; font: .78rem/1.45 var(--_mono); white-space: pre-wrap; overflow-wrap: anywhere; max-height: 14rem; overflow: auto }

.consent { margin: 0 .75rem .75rem; padding: .8rem .9rem; border: 1px solid var(--_line); border-radius: 12px; background: var(--_raised) }
.consent:has(> p) { display: flex; flex-direction: column; flex: none; max-height: max(9.25rem, 42%) }
.consent h3 { margin: 0 0 .25rem; font-size: .9rem }
.consent > p, .consent details { margin: 0 0 .6rem; font-size: .82rem; color: var(--_muted) }
.consent > p { min-height: 1.3rem; overflow-y: auto }
.consent summary { cursor: pointer; width: fit-content }
.choices label { display: flex; gap: .5rem; align-items: baseline; margin: 0 0 .5rem; font-size: .86rem }
.stored { margin: 0 0 .6rem }
.consent details p { margin: .25rem 0 0; max-height: 11rem; overflow-y: auto }
.question { margin: 0 .75rem .75rem; padding: .8rem .9rem; border: 1px solid var(--_accent); border-radius: 12px; background: var(--_raised) }
.question p { margin: 0 0 .6rem; overflow-wrap: anywhere }
.row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center }
.button { min-height: 34px; padding: .3rem .9rem; border-radius: 9px; border: 1px solid var(--_line); font-size: .86rem; font-weight: 550; overflow-wrap: anywhere }
.button:hover:not(:disabled) { border-color: var(--_accent) }
.button.primary { background: var(--_accent); border-color: var(--_accent); color: var(--_on-accent) }
.button.danger { color: var(--_bad) }
.notice { margin: 0 .75rem .75rem; padding: .55rem .8rem; border-radius: 10px; font-size: .84rem; background: var(--_raised);
  border-left: 3px solid var(--_bad); display: flex; gap: .6rem; align-items: center; justify-content: space-between }
.notice.calm { border-left-color: var(--_muted); color: var(--_muted) }

form { display: flex; gap: .5rem; align-items: flex-end; padding: .75rem; border-top: 1px solid var(--_line) }
textarea { flex: 1; min-width: 0; resize: none; max-height: 9rem; padding: .55rem .75rem; border-radius: 11px; border: 1px solid var(--_line);
  background: var(--_raised); color: inherit; font: inherit; line-height: 1.4; field-sizing: content }
textarea:disabled { opacity: .6 }
textarea::placeholder { color: var(--_muted); opacity: 1 }
.send { display: grid; place-items: center; width: 40px; height: 40px; border-radius: 11px; background: var(--_accent); color: var(--_on-accent); flex: none }
footer:empty { display: none }
form[hidden] + footer { padding-top: .6rem; border-top: 1px solid var(--_line) }
footer { display: flex; justify-content: space-between; gap: .6rem; padding: 0 1rem .6rem; color: var(--_muted); font: .7rem var(--_mono) }
footer span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }

.privacy { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.1rem; align-content: start }
.privacy h3 { margin: 0 0 .3rem; font-size: .92rem }
.privacy p { margin: 0 0 .5rem; color: var(--_muted); font-size: .84rem }
.entries { list-style: none; margin: 0; padding: 0; display: grid; gap: .35rem }
.entry { border: 1px solid var(--_line); border-radius: 10px; font-size: .82rem }
.entry summary { display: flex; gap: .6rem; padding: .45rem .65rem; cursor: pointer; align-items: baseline }
.entry .badge { font-weight: 600 }
.entry[data-state=sent] .badge { color: var(--_good) }
.entry[data-state=rejected] .badge { color: var(--_bad) }
.entry .meta { margin-left: auto; color: var(--_muted); white-space: nowrap }
.entry .body { padding: 0 .65rem .65rem; display: grid; gap: .5rem }
.entry .recorded { list-style: none; margin: .3rem 0 .6rem; padding: 0; display: grid; gap: .45rem; overflow-wrap: anywhere }
.entry .recorded ul { margin: 0; padding-left: 1.1rem }
.entry .recorded li > b { font-weight: 600 }

:host([launcher]) { position: fixed; inset: auto 1rem 1rem auto; z-index: 2147483000; min-height: 0 }
.launcher { min-height: 48px; padding: .6rem 1.2rem; border-radius: 99px; background: var(--_accent); color: var(--_on-accent);
  font-weight: 600; box-shadow: 0 6px 24px rgb(0 0 0 / .25) }
.launched .panel { width: min(26rem, calc(100vw - 2rem)); height: min(40rem, calc(100dvh - 2rem)); box-shadow: 0 12px 40px rgb(0 0 0 / .3) }
@media (max-width: 480px) {
  :host([launcher]) .launched .panel { position: fixed; inset: 0; width: auto; height: auto; border: 0; border-radius: 0 }
}
@media (prefers-reduced-motion: reduce) { *, *::before, *::after { animation: none !important; transition: none !important } }
`;
