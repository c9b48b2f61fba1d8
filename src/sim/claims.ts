import { invariant } from "../base/invariant.ts";
import { underKey } from "../base/under-key.ts";
import type { Cluster } from "../model/cluster.ts";
import type { Allocation, ResourceClaim } from "../model/device.ts";
import { namespacedName, type PodKey } from "../model/key.ts";
import type { Node } from "../model/node.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../model/storage.ts";
import type { PodView } from "../model/view.ts";
import type { Workload } from "../model/workload.ts";
import type { Journal } from "./journal.ts";

const zoneKey = "topology.kubernetes.io/zone";

/**
 * The claims of volumes and devices, and the volumes: what controllers make for a pod and take away with it, and what the
 * scheduler binds and allocates. Part of the ledger: every change goes through its journal.
 */
export class Claims {
  /** By namespace and name. */
  readonly volumeClaims: Map<string, PersistentVolumeClaim>;
  readonly volumes: Map<string, PersistentVolume>;
  /** By namespace and name. */
  readonly resourceClaims: Map<string, ResourceClaim>;
  /** Keys of claims made for a pod in any branch of a search: some may not be there now. */
  readonly #madeFor = new Map<PodKey, Set<string>>();
  readonly #cluster: Cluster;
  readonly #journal: Journal;

  constructor(cluster: Cluster, journal: Journal) {
    this.#cluster = cluster;
    this.#journal = journal;
    this.volumeClaims = new Map(cluster.storage.claims);
    this.volumes = new Map(cluster.storage.volumes);
    this.resourceClaims = new Map(cluster.devices.claims);
    for (const [key, claim] of this.resourceClaims) this.#noteMade(key, claim);
  }

  #noteMade(key: string, { ownerPod }: Pick<ResourceClaim, "ownerPod">): void {
    if (ownerPod !== null) underKey(this.#madeFor, ownerPod, () => new Set<string>()).add(key);
  }

  /** Those a new pod brings, and the keys of its device claims by their names in its spec. */
  makeFor(pod: PodView, owner: Workload | undefined): ReadonlyMap<string, string> {
    this.#makeVolumeClaims(pod, owner);
    return this.#makeResourceClaims(pod);
  }

  /** The pod's object is gone: claims made for it go too, those it only used are released. */
  releaseOf(pod: PodView): void {
    if (pod.claimKeys.size > 0 || this.#madeFor.has(pod.key)) this.#releaseResourceClaims(pod);
    this.#releaseVolumeClaims(pod);
  }

  #releaseResourceClaims(pod: PodView): void {
    // The scheduler's own claim for extended resources is the pod's too, but stands in no spec.
    const made = this.#madeFor.get(pod.key) ?? [];
    const own = [...made].filter((key) => this.resourceClaims.get(key)?.ownerPod === pod.key);
    for (const key of new Set([...pod.claimKeys.values(), ...own])) {
      const claim = this.resourceClaims.get(key);
      if (claim === undefined) continue;
      if (claim.ownerPod === pod.key) this.#journal.mapDelete(this.resourceClaims, key);
      else if (claim.reservedFor.includes(pod.key)) {
        const reservedFor = claim.reservedFor.filter((p) => p !== pod.key);
        // The claim controller deallocates a claim nobody uses any more.
        const allocation = reservedFor.length === 0 ? null : claim.allocation;
        this.#journal.mapSet(this.resourceClaims, key, { ...claim, reservedFor, allocation });
      }
    }
  }

  #releaseVolumeClaims(pod: PodView): void {
    for (const volume of pod.template.volumes) {
      if (volume.kind !== "ephemeral") continue;
      const key = ephemeralClaim(pod, volume.volume);
      const claim = this.volumeClaims.get(key);
      if (claim !== undefined && claim.volumeName !== "") this.#journal.mapDelete(this.volumes, claim.volumeName);
      this.#journal.mapDelete(this.volumeClaims, key);
    }
  }

  allocate(key: string, allocation: Allocation, pod: PodKey): void {
    const claim = this.resourceClaims.get(key) ?? schedulerClaim(key, pod);
    this.#noteMade(key, claim);
    const reservedFor = claim.reservedFor.includes(pod) ? claim.reservedFor : [...claim.reservedFor, pod];
    this.#journal.mapSet(this.resourceClaims, key, {
      ...claim,
      allocation: claim.allocation ?? allocation,
      reservedFor,
    });
  }

  deallocate(key: string): void {
    const claim = this.resourceClaims.get(key);
    if (claim === undefined) return;
    this.#journal.mapSet(this.resourceClaims, key, { ...claim, allocation: null, reservedFor: [] });
  }

  /** Null volume: a new one is provisioned for the node; it holds the claim there from now on. */
  bindVolume(key: string, volumeName: string | null, node: Node | null): void {
    const claim = this.volumeClaims.get(key);
    invariant(claim !== undefined, "a bound volume claim exists");
    const name = volumeName ?? `~${key.replace("/", "-")}`;
    if (volumeName === null) this.#journal.mapSet(this.volumes, name, this.#provisioned(name, claim, node));
    else {
      const volume = this.volumes.get(volumeName);
      invariant(volume !== undefined, "the chosen volume exists");
      this.#journal.mapSet(this.volumes, name, { ...volume, claimRef: key, claimBound: true, phase: "Bound" });
    }
    this.#journal.mapSet(this.volumeClaims, key, { ...claim, volumeName: name, bindCompleted: true, phase: "Bound" });
  }

  #makeResourceClaims(pod: PodView): ReadonlyMap<string, string> {
    const keys = new Map<string, string>();
    for (const claim of pod.template.resourceClaims) {
      if (claim.claimName !== null) {
        keys.set(claim.name, namespacedName(pod.namespace, claim.claimName));
        continue;
      }
      const from = namespacedName(pod.namespace, claim.templateName ?? "");
      const template = this.#cluster.devices.claimTemplates.get(from);
      if (template === undefined) continue;
      const name = `${pod.name}-${claim.name}`;
      const key = namespacedName(pod.namespace, name);
      keys.set(claim.name, key);
      this.#noteMade(key, { ownerPod: pod.key });
      this.#journal.mapSet(this.resourceClaims, key, {
        namespace: pod.namespace,
        name,
        annotations: new Map(),
        requests: template.requests,
        constraints: template.constraints,
        allocation: null,
        reservedFor: [],
        ownerPod: pod.key,
        deleting: false,
      });
    }
    return keys;
  }

  #makeVolumeClaims(pod: PodView, owner: Workload | undefined): void {
    const templates = owner?.kind === "StatefulSet" ? owner.volumeClaimTemplates : [];
    for (const volume of pod.template.volumes) {
      if (volume.kind === "ephemeral") {
        const { storageClassName } = volume;
        const asked = { storageClassName, requestBytes: 0, accessModes: ["ReadWriteOnce"] };
        this.#makeVolumeClaim(ephemeralClaim(pod, volume.volume), asked, pod.key);
      } else if (volume.kind === "claim") {
        const from = templates.find(({ name }) => `${name}-${pod.name}` === volume.claimName);
        if (from !== undefined) this.#makeVolumeClaim(namespacedName(pod.namespace, volume.claimName), from, null);
      }
    }
  }

  #makeVolumeClaim(
    key: string,
    {
      storageClassName,
      requestBytes,
      accessModes,
    }: Pick<PersistentVolumeClaim, "storageClassName" | "requestBytes" | "accessModes">,
    ownerPod: PodKey | null,
  ): void {
    if (this.volumeClaims.has(key)) return;
    const [namespace = "", name = ""] = key.split("/");
    const fallback = [...this.#cluster.storage.classes.values()].find((c) => c.isDefault)?.name ?? "";
    this.#journal.mapSet(this.volumeClaims, key, {
      namespace,
      name,
      labels: new Map(),
      annotations: new Map(),
      storageClassName: storageClassName ?? fallback,
      volumeName: "",
      bindCompleted: false,
      requestBytes,
      accessModes,
      volumeMode: "Filesystem",
      selector: null,
      phase: "Pending",
      deleting: false,
      selectedNode: "",
      ownerPod,
    });
  }

  #provisioned(name: string, claim: PersistentVolumeClaim, node: Node | null): PersistentVolume {
    const storageClass = this.#cluster.storage.classes.get(claim.storageClassName ?? "");
    const zone = node?.labels.get(zoneKey);
    // What many nodes mount is a file system behind the network: its volumes name no nodes. Disks are in a zone.
    const isShared = claim.accessModes.some((mode) => mode.endsWith("Many"));
    const inZone =
      zone === undefined || isShared
        ? null
        : [{ matchExpressions: [{ key: zoneKey, operator: "In" as const, values: [zone] }], matchFields: [] }];
    return {
      name,
      labels: new Map(),
      annotations: new Map(),
      capacityBytes: claim.requestBytes,
      accessModes: claim.accessModes,
      storageClassName: claim.storageClassName ?? "",
      volumeMode: claim.volumeMode,
      claimRef: namespacedName(claim.namespace, claim.name),
      claimBound: true,
      nodeAffinity: inZone,
      csi: { driver: storageClass?.provisioner ?? "", handle: name },
      inTree: null,
      phase: "Bound",
      deleting: false,
    };
  }
}

function ephemeralClaim({ namespace, name }: PodView, volume: string): string {
  return namespacedName(namespace, `${name}-${volume}`);
}

/** The claim the scheduler makes itself, for extended resources that devices provide. It goes with its pod. */
function schedulerClaim(key: string, pod: PodKey): ResourceClaim {
  const slash = key.indexOf("/");
  return {
    namespace: key.slice(0, slash),
    name: key.slice(slash + 1),
    annotations: new Map([["resource.kubernetes.io/extended-resource-claim", "true"]]),
    requests: [],
    constraints: [],
    allocation: null,
    reservedFor: [],
    ownerPod: pod,
    deleting: false,
  };
}
