/** Forms of a task besides the plain one; environments provide them. */
export type DemonstrationForm =
  /** The plain task. */
  | "task"
  /** A variant that forbids calls, which must be refused. */
  | "forbidden"
  /** A variant without the required tools, which must be refused. */
  | "toolless"
  /** Preceded by questions about its first decision. */
  | "questioned"
  /** Followed by a question for the evidence of the answer. */
  | "evidenced"
  /** Every tool has a near-duplicate with a similar name. */
  | "near-duplicates"
  /** A task of another environment. */
  | "general"
  /** Built from a tutorial, without an environment. */
  | "tutorial"
  /** A task proposal by the proposer. */
  | "proposal"
  /** A task proposal by the proposer that reads documents. */
  | "documented-proposal"
  /** A world model's input and output, with roles exchanged. */
  | "world";
