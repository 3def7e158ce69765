/** Version of this package, as trajectories record it. */
export const RUNTIME_BUILD: string = "0.1.0";
