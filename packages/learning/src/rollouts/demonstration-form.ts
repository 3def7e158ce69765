/** What demonstrations may be of besides the task itself; the environments make these forms. */
export type DemonstrationForm =
  /** The task. */
  | "task"
  /** Its twin where calls are forbidden, to be refused. */
  | "forbidden"
  /** Its twin without the tools that it takes, to be refused. */
  | "toolless"
  /** Its first decision asked for in questions before it. */
  | "questioned"
  /** What its answer rests on asked for after it. */
  | "evidenced"
  /** Every tool has a twin of nearly the same name. */
  | "near-duplicates"
  /** A task of another environment. */
  | "general"
  /** Made of a how-to without an environment. */
  | "tutorial"
  /** The setting of a task, by whoever sets them. */
  | "proposal"
  /** What a world model is asked and says, the roles changed. */
  | "world";
