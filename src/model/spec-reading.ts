import type { ByteNumbers } from "../wire/byte-numbers.ts";
import { type FieldReading, Reading } from "../wire/gist.ts";

/**
 * What of a spec's parts is read. What is named here as unread, no parser of a spec may ask for: two specs that differ in
 * nothing else are taken as one.
 */
const containerFields: Readonly<Record<string, FieldReading>> = {
  env: "unread",
  envFrom: "unread",
  imagePullPolicy: "unread",
  livenessProbe: "unread",
  readinessProbe: "presence",
  resizePolicy: "unread",
  securityContext: "unread",
  startupProbe: "presence",
  stdin: "unread",
  terminationMessagePath: "unread",
  terminationMessagePolicy: "unread",
  tty: "unread",
  volumeDevices: "unread",
  volumeMounts: new Reading({ fields: { bindMountOptions: "whole" }, others: "unread" }),
  workingDir: "unread",
};

/** Read by themselves, as a pod has them filled in and the template that it was made of has not. */
const filledIn = ["preemptionPolicy", "priority", "priorityClassName", "tolerations"];

const specFields: Readonly<Record<string, FieldReading>> = {
  automountServiceAccountToken: "unread",
  dnsConfig: "unread",
  dnsPolicy: "unread",
  enableServiceLinks: "unread",
  ephemeralContainers: "unread",
  hostAliases: "unread",
  hostIPC: "unread",
  hostPID: "unread",
  imagePullSecrets: "unread",
  securityContext: "unread",
  serviceAccount: "unread",
  serviceAccountName: "unread",
  shareProcessNamespace: "unread",
  ...Object.fromEntries(filledIn.map((field) => [field, "unread"] as const)),
};

/** Volumes of which nothing is read; those of a pod have names of its own. */
const leftOutVolumes = ["configMap", "downwardAPI", "projected", "secret"];

export const containersRead = new Reading({ fields: containerFields, others: "whole" });
export const tolerationsRead: FieldReading = "whole";
export const volumesRead = new Reading({ fields: {}, others: "whole", leftOut: leftOutVolumes });

/** Where the lists that specs have in common have their numbers. */
interface PartNumbers {
  readonly containers: ByteNumbers;
  readonly initContainers: ByteNumbers;
  readonly volumes: ByteNumbers;
}

/** What is read of a whole spec: of a workload's template, and of a pod, whose node is no part of it. */
export function numberedIn(numbers: PartNumbers): { readonly template: Reading; readonly pod: Reading } {
  const fields: Readonly<Record<string, FieldReading>> = {
    ...specFields,
    containers: new Reading({ fields: containerFields, others: "whole", numbers: numbers.containers }),
    initContainers: new Reading({ fields: containerFields, others: "whole", numbers: numbers.initContainers }),
    volumes: new Reading({ fields: {}, others: "whole", leftOut: leftOutVolumes, numbers: numbers.volumes }),
  };
  return {
    template: new Reading({ fields, others: "whole" }),
    pod: new Reading({ fields: { ...fields, nodeName: "unread" }, others: "whole" }),
  };
}
