/** How a command ends: fine, a threshold was missed, the person must fix something, interrupted. */
export type ExitCode = 0 | 1 | 2 | 130;
