/** The line with which upstream's trace of a reply begins. Its replies are looked at with it, ours are not. */
export const TRACE_HEADER = "--- AI Message ---\n";
