import type { ClusterView, Effect, WorkloadView } from "../model/view.ts";

/**
 * One controller of kube-controller-manager (or of an add-on), as a pure step: looks at one workload and says what it
 * would do now. Called again until it asks for nothing; never keeps state outside the workload's memory.
 */
export interface Controller {
  /** The name the real one uses in events and audit: `replicaset-controller`. */
  readonly name: string;
  /** Kinds of workload it reconciles. */
  readonly kinds: readonly string[];
  reconcile(view: ClusterView, workload: WorkloadView): readonly Effect[];
}
