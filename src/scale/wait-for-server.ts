import { isLost } from "../journal/store/postgres/postgres-connection.ts";

/** How long a server that is gone is waited for. */
const WAIT_MS = 300_000;
const PAUSE_MS = 250;

/** Does something again when the connection was lost, until it works. `isRepeated` is true if it was perhaps done already. */
export async function waitForServer<Result>(
  action: (isRepeated: boolean) => Promise<Result>,
  isClosed: () => boolean = () => false,
): Promise<Result> {
  const start = performance.now();
  for (let isRepeated = false; ; isRepeated = true) {
    try {
      return await action(isRepeated);
    } catch (error) {
      if (isClosed() || !isLost(error) || performance.now() - start > WAIT_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
