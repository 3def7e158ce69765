/**
 * A site of the study. Its people want something that their requests do not say, and that depends on the kind of the request.
 * Its author guessed what that is, and guessed wrong for half of the kinds. Half of the demonstrations for the base follow the
 * guess, and the others choose at random. If a request names an answer, the demonstration gives that one.
 */
import {
  createTurnEnvironment,
  type EnvironmentSpec,
  isOfSplit,
  leveledReferences,
  pick,
  toolResult,
} from "@waggle/environments";
import {
  hashText,
  type RandomSource,
  seededRandom,
  type TaskReference,
  WaggleError,
} from "@waggle/protocol";

/** One request. */
type Wish = {
  readonly request: string;
  readonly kind: string;
  readonly answers: readonly string[];
  readonly wanted: string;
  /** What the author of the site believes that people of this kind want. */
  readonly guessed: string;
};

type SiteDefinition = {
  readonly name: string;
  readonly draw: (random: RandomSource) => Wish;
  /** How requests name an answer, which replaces `{answer}`. */
  readonly naming: readonly string[];
};

export type StudySite = {
  /** Requests of people, with the verifier that knows what they want. */
  readonly people: EnvironmentSpec;
  /** What the base learns. It never has a request that is held out. */
  readonly demonstrations: EnvironmentSpec;
};

/** Share of the demonstrations whose request names an answer, and share of the others that follow the author's guess. */
const SHARES = { named: 0.3, guessed: 0.5 } as const;

export function studySite(site: SiteDefinition): StudySite {
  return {
    people: environmentOf(site, site.name, (wish) => wish),
    demonstrations: environmentOf(site, `${site.name}-demonstrations`, (wish, random) => {
      const any = pick(random, wish.answers);
      if (random() >= SHARES.named) {
        return { ...wish, wanted: random() < SHARES.guessed ? wish.guessed : any };
      }
      const named = pick(random, site.naming).replace("{answer}", any);
      return { ...wish, wanted: any, request: `${wish.request} ${named}` };
    }),
  };
}

function environmentOf(
  { name: site, draw }: SiteDefinition,
  name: string,
  changed: (wish: Wish, random: RandomSource) => Wish,
): EnvironmentSpec {
  const wishOf = ({ seed, split }: TaskReference): Wish => {
    const random = seededRandom(hashText(`${name}/${split}`), seed);
    for (;;) {
      const wish = draw(random);
      const key = `${wish.request}/${wish.answers.join()}`;
      if (isOfSplit({ environment: site, seed, split }, key)) return changed(wish, random);
    }
  };
  return {
    ...leveledReferences(name, 1),
    features: ["opinions"],
    maxTurns: 1,
    task: (reference) => {
      const { request, kind } = wishOf(reference);
      return { ...reference, kind, template: kind, system: "", request };
    },
    create: (reference) => {
      const wish = wishOf(reference);
      return {
        environment: createTurnEnvironment({
          task: reference,
          begin: () => ({ system: "", tools: [], userMessage: wish.request }),
          run: (call) =>
            toolResult(call, () => {
              throw new WaggleError("UNKNOWN_TOOL", "this site has no tools");
            }),
        }),
        judge: (finalText) => {
          const success = finalText?.trim() === wish.wanted;
          return { reward: success ? 1 : 0, success, parts: {} };
        },
      };
    },
    demonstrator: (reference) => () => ({ text: wishOf(reference).wanted, calls: [] }),
  };
}
