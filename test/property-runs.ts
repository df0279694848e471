/**
 * How many examples a property that takes long gets. The tests repeat the same ones in every run, so that half of them do; with
 * PROPERTY_SEED=random, which looks for others, there are all.
 */
export function propertyRuns(all: number): number {
  return process.env.PROPERTY_SEED === "random" ? all : Math.ceil(all / 2);
}
