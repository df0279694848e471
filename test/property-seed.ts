import { configureGlobal, readConfigureGlobal } from "fast-check";

// A property that fails must fail again, so its examples are the same in every run. PROPERTY_SEED=random looks for others.
const { PROPERTY_SEED = "1" } = process.env;
if (PROPERTY_SEED !== "random") configureGlobal({ ...readConfigureGlobal(), seed: Number(PROPERTY_SEED) });
