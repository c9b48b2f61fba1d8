import { testSeeds } from "./test-seeds.ts";

testSeeds(3);
