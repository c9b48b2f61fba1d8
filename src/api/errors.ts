/** The API server cannot be reached or does not let us in. The command ends with exit code 3. */
export class ClusterNotReachable extends Error {
  override readonly name = "ClusterNotReachable";
}

/** The kubeconfig is missing, broken, or has no such context: the caller's mistake, exit code 2. */
export class KubeconfigProblem extends Error {
  override readonly name = "KubeconfigProblem";
}

/** What the kubeconfig says of credentials cannot be used: nothing was asked. Exit code 3, as when nobody answers. */
export class CredentialsProblem extends ClusterNotReachable {}

/** An answer other than success, with the server's own words. */
export class ApiRefusal extends Error {
  override readonly name = "ApiRefusal";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
