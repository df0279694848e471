/**
 * All values in their order; if some failed, the first failure in this order, but not before all have come to rest:
 * what is told does not depend on who was quicker, and nothing goes on unseen.
 */
export async function allAtRest<Value>(promises: readonly Promise<Value>[]): Promise<readonly Value[]> {
  return (await Promise.allSettled(promises)).map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}
