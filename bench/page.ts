import type { Figure, Figures } from "./main.ts";
import { stages } from "./stages.ts";
import { figuresTable } from "./table.ts";

/** `docs/performance.md` of one run. */
export function performancePage(figures: Figures): string {
  const told = stages.filter(({ name }) => figures.figures.some(({ stage }) => stage === name));
  return `# Performance

This page is written by \`npm run bench -- --write\`; the options of the run it shows stand below it.

What limits a question about a large cluster is reading it: a dump of 150,000 pods is 1 GB, or 2.7 GB as kubectl prints it,
and \`JSON.parse\` of its objects alone takes longer than most questions. So every figure is also given as a share of that:
the same files, cut into objects and parsed, in the same run, on the same machine.

${figuresTable(figures)}
${figures.processor}, Node ${figures.node}, seed ${figures.seed}, the best of ${figures.repetitions}. CPU seconds are those of the main
thread; "with helpers" adds the garbage collector's, the compiler's and all other threads, "wall" is what a person waits. "growth" is the exponent in pods from a tenth of the
size: 1 is in step. The peak is the whole process'.

${told.map(({ name, about }) => `- \`${name}\`: ${about}.`).join("\n")}

## What is measured on

A made-up cluster with as many kinds of pods as a real one has: DaemonSets, model servers on GPU nodes, routers and pickers, with
affinity, spread, budgets and Services, every object in full as an API server gives it. \`compact\` is one object a line;
\`kubectl\` is a List as \`kubectl get -o json\` prints it.

Every step runs the program as \`npm run build\` makes it, in a process of its own.

## N-1

What the scheduler would do with the pods of every node, one node gone at a time: the full default profile with its sampling, choices
among equals listed (\`src/search/n-minus-one\`). Tests hold every answer to the readable scheduler's, as the step
\`n-minus-one-readable\` does.${comparison(figures)}${againstScheduler(figures)}

- Pods that ask alike share one *demand*: the nodes with room for them, and what each scores by its own amounts.
- Nodes are sorted into *cells* that are alike to a kind of pod: same zone, same taints. Filters and scores that look at other pods are
  asked once a cell; the few nodes where such pods are counted by host are looked at one by one.
- Where every other node of a stretch passes, the nodes the scheduler would sample are counted by their places in a list, and
  the best of each cell stand first in a list by score. Nodes with as many of a pod's own kind near score alike and are one group.
- Memory is what limits it: of a pod, its template and its owner little is read twice, counts are made when a kind of pod is asked for, and
  what is tried and taken back leaves out the closed node wherever nobody looks at it.
- A drain is tried: the nodes it touches are looked at one by one too, and what is kept for all the others never changes.

## \`check\`

Every endpoint is judged under the drain of each node by itself, the maintenance of each pool, the failure of each node and the loss of
each zone.${decided(figures)} What it costs goes with the pods that move on nodes where something breaks:

- What can be argued about is not played. An endpoint is safe where nothing of it stands there, enough is left elsewhere, or a budget keeps what
  it needs and what it waits for finds room (\`src/search/n-minus-one/argue.ts\`). It breaks where all it has of a part is let go at one
  moment, or fails with the machine, for as long as a replacement takes to start (\`broken.ts\`); and a budget that wants all of its pods, or
  whose pods find no place elsewhere, holds a drain up for ever (\`held.ts\`). Tests hold each number of this to the course that is played.
- A pod surely finds a place where more nodes have room for it than the others that look can take it from, by what they bring
  together (\`blocked.ts\`); one that is spread, in the domain it left (\`domains.ts\`).
- Of the maintenance of a pool by one who takes a node after the other it is argued what two nodes in a row leave: nothing that went with the
  first has started by the time the second is empty (\`in-a-row.ts\`).
- What is left is played on one simulation that goes back to the settled cluster in between. It looks at what changed alone: budgets over a pod that
  changed, nodes that were touched, hops of the owners whose pods changed, endpoints with a hop that changed. The maintenance of a pool is
  led to the nodes where an endpoint stands, at most twelve; drains that never end come last.
- What no such beginning hurts is proved by budgets, where there is room for that. A maintenance that does the same by another name is not judged
  again.
- Such proofs go by kinds of pods, and by the few dozen amounts that thousands of templates ask for: who stands where is found once for all
  pools, how much of an amount can gather on each place once for all templates (\`src/search/proof/present.ts\`), and views of pods are made
  of those alone that stand where it matters.
- A course is kept as how it is played again, and is played again when it is told: what happened, what it waits for, and why a pod finds no place
  are of the hundred worst endpoints alone (\`--traces\`).
- Nodes that nothing of a question stands on, and from which nothing can push it aside, are not asked about: of a question about few endpoints most are.
- What a pool or a zone loses is told of its nodes together, from columns by kind (\`src/search/n-minus-one/residents.ts\`); views are made of
  those pods alone that somebody looks at.
- Nothing is kept for each pair of templates, nor for each template and node: thousands of templates ask for one of a few dozen sets of nodes.

All that is one thread. From 30,000 pods and three cores on others do a part of it (\`src/pool\`): a single drain, a failure or the maintenance of a pool is a
task, plain data in and out, which whichever thread is free takes; the main one is one of them. Each reads the model from memory that they
share, and makes its own ground to play on, which is the cost: no thread pays below that size, nor on two cores, one of which collects garbage.${together(figures)}

Where pools are nearly full, endpoints stay \`undecided\`: pods could stand so that a replacement finds no place.

## How it is read

- Files are read in blocks of 512 KB, which stay in the processor's cache, and never as one text: V8's longest is 512 MB, a fifth of such a
  dump. A block ends where an object does, one of NDJSON or of kubectl's List, and with a NUL: one look past the end of an array makes
  V8 read bytes three times slower from then on. A file of 3.3 GB with 600,000 pods, one a line, became a model of as many in 11.4 CPU s and 699 MB.
- Pods of one owner differ in a dozen places. The first makes a *mould*: its bytes, with gaps for name, uid, node, times,
  addresses and the like. A pod whose bytes are the same everywhere else, and plain to read in the gaps, is known without being looked at
  further (\`src/load/mould.ts\`).
- A look at every byte is what reading costs. So bytes are compared eight at a time, as doubles, and from 512 on by the machine's own
  comparison, a call that costs as much as 500 of them; where a text ends is looked for four bytes at a time, and indents are passed
  eight at a time (\`src/wire/viewed.ts\`).
- What no mould knows, the 44,000 Deployments, ReplicaSets, nodes, budgets, Services and first pods of their owners, is read on a *tape*: one
  pass finds where each value lies, three times faster than \`JSON.parse\`, six times in kubectl's layout, and a value is made when the model asks for it
  (\`src/wire/tape.ts\`). Most never are. Whatever is odd is cut out byte by byte and parsed, so that there is one place that says what is
  wrong. Tests hold both ways to the same cluster, on whole, torn and changed input, and the tape to \`JSON.parse\`.
- Two ways to let the tape look at less were tried and left out. Taking over what is the same as in the object before saves a third for
  nodes, and nothing for Deployments, which differ here and there all over. Keeping parts that come often by their bytes
  would cover half of an object, for three times its bytes kept.
- Parts that come again in the same bytes are read once: a node's images, ports, amounts (\`src/wire/read-before.ts\`). Bytes are compared,
  never a hash alone.
- Specs, lists of containers, volumes and tolerations, labels and the conditions of nodes are known again by their *gist*
  (\`src/wire/gist.ts\`): the bytes of what is read of them, without environment, probes, mounts and the like, and without the white space
  of a layout. So the spec of a Deployment is read once for itself, its ReplicaSets and the first of its pods, and a template is made
  once for a set and its pods; what a server fills in when it makes a pod (priority, tolerations) is read apart. A test holds that no parser asks for what a gist leaves out
  (\`src/model/spec-reading.test.ts\`).
- Uids, versions and times are read from their bytes and are numbers: as texts they would take more than the pods. An owner is found by
  the number of its uid, and no key need be made to find it.
- Pods that are alike share what they have in common (\`src/model/pod-columns.ts\`); of each there is kept in columns what is its own.
  A template that differs from another only in the node it names, as every pod of a DaemonSet has one, is made when it is asked for.
- What admission makes of a spec is worked out once, where no limit range and no runtime class has a say; specs that are written
  differently and have the same parts share those (\`src/model/parse-pod-spec.ts\`).
- A workload is made once and filled in when the whole input is read. Copies of objects and lists that grew cost more than what is in
  them: most of what this step takes is the garbage collector's, and code that runs too seldom to be compiled well.
- What is left is mostly what the model makes of those 44,000 objects, and texts: made of bytes in JavaScript they cost more than in
  \`JSON.parse\`, which is why the model gains less than the reading. A smaller young generation was tried: it saves a tenth of the memory
  and no time.
- YAML is read object by object, many times slower.
- \`holdfast snapshot\` keeps the model beside the objects, in the headers of empty gzip members, so that any gunzip still reads the objects
  alone. Whoever asks again reads the model alone, as it lies there: numbers of pods are columns that arrays stand on, and a workload, a
  template or what pods share is read when somebody asks for it (\`src/wire/codec.ts\`, \`src/model/saved-pods.ts\`). One sum over all of
  it is checked first, so that what is read late can be believed.
- Beside the model stands what every question asks first, whatever it is about: the paths of requests, who is not at rest, what budgets
  come to, who owns whom (\`src/search/known.ts\`). A cluster that was changed by options is asked again. Tests hold it to what is found
  in the objects, and a report from it to one from them.
- Both are believed only by the program that wrote them, told by a digest of the sources it was built from (\`src/load/program.ts\`). Any
  other one reads the objects.
- A simulation makes of the pods as read those that somebody looks at (\`src/sim/pods-read.ts\`), and what they are looked up by is worked out once
  for all simulations of a cluster.

## Limits

A file may have 8 GB, all inputs together 16 GB, one object 32 MB. A file that ends too early, is not what it seems, or changes while it
is read is a problem in the report, never a crash.
`;
}

/** How many of the largest cluster's endpoints `check` decides. */
function decided({ figures }: Figures): string {
  const figure = figures.findLast(({ stage }) => stage === "check");
  if (figure === undefined) return "";
  const { counts, nodes, pods } = figure;
  return ` Of ${counts["endpoints"]} endpoints on ${nodes} nodes with ${pods} pods ${counts["undecided"]} stay \`undecided\`.`;
}

/** What more threads win and cost; "": it was not measured. */
function together({ figures }: Figures): string {
  const shared = figures.findLast(({ stage }) => stage === "check-workers");
  const alone = figures.find(
    ({ stage, nodes, layout }) => stage === "check" && nodes === shared?.nodes && layout === shared.layout,
  );
  if (shared === undefined || alone === undefined) return "";
  const ratio = (of: (figure: Figure) => number): string => (of(shared) / of(alone)).toFixed(2);
  return (
    ` Of ${shared.nodes} nodes a check takes ${ratio(({ wallSeconds }) => wallSeconds)} of the time it takes on one thread, ` +
    `${ratio(({ processCpuSeconds }) => processCpuSeconds)} of the CPU of all threads, and ${ratio(({ peakMegabytes }) => peakMegabytes)} of the memory.`
  );
}

/** What one pod costs, here and by the readable scheduler; "": one of them was not measured. */
function comparison({ figures }: Figures): string {
  const perPod = (stage: string, count: string): number | null => {
    const figure = figures.findLast((each) => each.stage === stage);
    const pods = Number(figure?.counts[count] ?? 0);
    return figure === undefined || pods === 0 ? null : (figure.cpuSeconds / pods) * 1e6;
  };
  const here = perPod("n-minus-one", "placed");
  const readable = perPod("n-minus-one-readable", "pods");
  if (here === null || readable === null) return "";
  const ratio = Number((readable / here).toPrecision(2));
  return ` A pod costs ${Number(here.toPrecision(2))} µs of CPU here, and ${Number((readable / 1000).toPrecision(2))} ms there: ${ratio} times as much.`;
}

/** What one pod costs the scheduler's own code, for each size it was asked at; "": it was not asked. All threads count here, as they do there. */
function againstScheduler({ figures }: Figures): string {
  const told = figures.flatMap(({ stage, nodes, cpuSeconds, counts }) => {
    const here = figures.find((figure) => figure.stage === "n-minus-one" && figure.nodes === nodes);
    if (stage !== "n-minus-one-scheduler" || here === undefined) return [];
    const pods = Number(counts["pods"]);
    const moved = ["placed", "nowhere", "not-told"].reduce((sum, each) => sum + Number(here.counts[each]), 0);
    const [theirs, ours] = [cpuSeconds / pods, here.processCpuSeconds / moved];
    return [
      `- ${nodes} nodes: the ${pods} pods of ${counts["nodes"]} nodes, ${counts["drawn"]} of them with several best nodes and ` +
        `${counts["nowhere"]} with none, cost it ${Number((theirs * 1000).toPrecision(3))} ms each, and ` +
        `${Number((ours * 1e6).toPrecision(2))} µs here, ${roundedDown(theirs / ours)} times less.`,
    ];
  });
  const version = figures.find(({ stage }) => stage === "n-minus-one-scheduler")?.counts["version"];
  if (told.length === 0) return "";
  return `

With \`--oracle\` the scheduler's own code (kube-scheduler ${version}, its default profile linked as a library, one thread; \`rig/oracle/drain.go\`) is
asked the same in the same run: the same files, the same pods in the same order, each search from where the last one stopped, the first
search of a node from the first node. Its answers must be ours, with all nodes it draws from where several are best, or the run stops.
What it spends on that counts, without reading files, listing equals, preempting, and taking the drain back; here everything counts, for
all nodes. Pods come one by one: what it saves by using the last pod's nodes again for an equal one that follows at once, about a
tenth where that was tried, is not in it.

${told.join("\n")}
`.trimEnd();
}

function roundedDown(ratio: number): number {
  const unit = 10 ** (Math.floor(Math.log10(ratio)) - 1);
  return Math.floor(ratio / unit) * unit;
}
