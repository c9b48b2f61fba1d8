import { parseArgs } from "node:util";
import { actorNamed } from "../src/maintenance/registry.ts";
import type { Question } from "../src/search/judge.ts";
import { maintenanceOf } from "../src/sim/plan-scenario.ts";
import { againstEveryCourse, attack } from "../test/search/random-orders.ts";
import { exampleQuestions, fixtureQuestions } from "../test/search/random-orders-examples.ts";
import { oneNodeOf, randomPool } from "../test/search/random-pools.ts";

// `npm run attack -- --from 1 --to 1000`: courses by chance against what the search says is safe. Exits 1 where one breaks it.
// `--actor gardener`: all pools by this one. `--restless`: with others in them that are not at rest.

const { values } = parseArgs({
  options: {
    from: { type: "string", default: "1" },
    to: { type: "string", default: "1000" },
    courses: { type: "string", default: "50" },
    states: { type: "string", default: "500" },
    examples: { type: "boolean", default: false },
    restless: { type: "boolean", default: false },
    actor: { type: "string", default: "" },
  },
});
const [from, to, courses, states] = [values.from, values.to, values.courses, values.states].map(Number) as [
  number,
  number,
  number,
  number,
];
let [pools, claims, played, broken] = [0, 0, 0, 0];

function one(name: string, seed: number, question: Question): void {
  const told = attack(question, { seed, courses });
  const found = [...told.broken, ...(told.claims > 0 && states > 0 ? againstEveryCourse(question, states) : [])];
  for (const each of found) console.log(`${name}: ${each}`);
  pools += told.claims > 0 ? 1 : 0;
  claims += told.claims;
  played += told.courses;
  broken += found.length > 0 ? 1 : 0;
}

/** By the actor that is named, where one is. */
function maintainedBy(question: Question): Question {
  const actor = actorNamed(values.actor);
  const [step] = question.steps;
  if (actor === undefined || step?.do !== "maintain") return question;
  const { cluster } = question;
  const nodes = cluster.nodes.filter(({ name }) => step.nodes.includes(name));
  return { ...question, steps: [maintenanceOf(cluster, actor, nodes, "any")] };
}

if (values.examples) {
  for (const { name, question } of [...exampleQuestions(), ...fixtureQuestions()]) one(name, 0, question);
} else {
  for (let seed = from; seed <= to; seed += 1) {
    const question = maintainedBy(randomPool(seed, { isRestless: values.restless }));
    one(`seed ${seed}`, seed, question);
    one(`seed ${seed}, one node`, seed, oneNodeOf(question, seed));
  }
}
console.log(`${pools} pools with something safe, ${claims} claims, ${played} courses, ${broken} broken`);
process.exitCode = broken === 0 ? 0 : 1;
