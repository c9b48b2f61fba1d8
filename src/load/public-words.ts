/**
 * Words that say nothing about whose cluster it is: Kubernetes' own, and those of the serving systems and tools by
 * which a cluster's parts are recognised. Everything else is renamed when a snapshot is made anonymous.
 */
const text = `
a access account active activator actor adapter addon admin admission affinity agent agentgateway ai aibrix aks alpha amd64
and anti any api apigroup apis app application apps arch archive arm64 args async attach auth auto autoscaler autoscaling
aws aws-node azure azuredisk
backend balancer base batch beta bin binding block body bookmark bootstrap both broker budget build builtin bundle by
ca cache cainjector calico canary capacity catalog cert certificate certificates certs cgroup chart check cilium
class client cloud cluster clusterrole cni code com complete component compute computeinstance condition config configmap configuration connect
console container containerd context control controller controllers core coredns cordon core-dns cpu create crd cri critical cron
cronjob crossplane csi current custom
daemon daemonset dashboard data database db debug decode default delete deploy deployer deployment dev device devices
dir disable disk dispatch disruption dns docker domain down drain driver drivers dynamic dynamo
ebs ec2 edge efs eks election elect embedding enable enabled encode endpoint endpoints engine entry env envoy epp error
etc etcd event events eviction exec exporter ext external extproc
fail false fast file filter flannel flow for forward frontend full func function
gateway gateways gcp gcr generic ghcr git gke global go google gpu grafana graceful group grove grpc
h100 a100 l4 l40s t4 b200 h200 mi300x
ha handler head header headless health healthz helm high holdfast hook host hostname hosts hpa http https hub huggingface
identity ignore image images in inference inferencepool infra ingress init initializer injector input install instance
int internal io ip istio istiod item
java job jobs json
k3s k8s karpenter keda kgateway kind knative kserve ksvc kube kubectl kubelet kubernetes kueue kured kv
label latency latest layer leader lease leaderworkerset level limit linux list listener llm llmisvc llmd lb load
local localhost log logging logs loki long low lws
main maintenance managed management manager map mcp memory merge mesh message metadata metallb metrics micro min minio mk8s
 mode model modelplane models module monitor monitoring mount mps multi mutating mysql
name names nebius namespace namespaces nat net network networking nfd nfs nginx nic nim node nodeclass nodegroup nodelocal
nodelocaldns nodeport nodepool nodes none normal nvidia nvme
object observability off oidc old ollama on one only open openai openshift operand operator opt or orchestration org
os ovn
p package page pair parent pause pd pdb pdp path peer per persistent picker pipeline placement plane platform plugin
plugins pod pods policy pool port ports postgres predictor prefill preemption preference prefix priority private probe
process processor prod production profile prometheus protocol provider provisioner proxy pull push pv pvc python
query queue quay quota 
rack ray raycluster read reader ready readyz recorder redis ref region registry release reloader remote replica
replicas replicaset request reserve reset resource resources response rest restart result retry revision role rollout
root route router routing rs rule run runner runtime
s3 safe sa sandbox scale scaler scheduler scheduling schema script sd secondary secret secure security selector server
serve service services serving session set sglang shard shared shell shm sidecar sig single size sleep sock socket source
spec spot spread stack standby staging start state stateful statefulset static status storage store stream strategy
sts sub subset svc sync sys system
tab taint target task tcp telemetry template test text thread time timeout tls tmp token tokenizer tool
topology torch trace tracing traffic training transformer trigger triton true trust trt tunnel type
udp ui unix up update upstream url use user usr util
v val validating validation value values var version victoria view virtual vllm vm vmss vol volume volumes
wait watch web webhook webhooks weight windows with worker workers workload worker-index write writer
x yaml yes you
zone zones
accelerator agentpool aigateway alb allocatable amazon amazonaws amd annotations aphrodite argoproj attachable blue cattle checksum
cinder clique cncf d composite copies cpp deletion descheduler desired disabled discovery disrupt disrupted do effect eg entrypoints environment
envoyproxy ephemeral evict exclusive explainer extension failure flags force gardener gatewayclass gaudi gce generation graph green
habana hash horizontal huawei hugepages id igw impending inferenceservice infrastructure ingresscontroller instancegroup intel is key
kops kuberay labels last lattice launch launcher lifecycle llama llminferenceservice lmdeploy machine machineconfiguration max mco
medik8s mirror mistral neuron nlb no nodemaintenance not nvcr odh of opentelemetry otel out owning part paused period podclique prefer
pressure projectcalico quarantine rbd reason reboot rke2 router routes running safe sapcloud schedule scheduled scc science shutdown
sigs standalone stop storm surge talos tensorrt termination text-generation-launcher to tolerations tpu tracking traefik unavailable
unreachable unschedulable upgrade validated vpc waypoint
3scale add apisix contour haproxy haproxytech interceptor kaito kong konghq kourier nginx-ingress proxyv2 projectcontour revision
`;

export const publicWords: ReadonlySet<string> = new Set(text.split(/[\s-]+/).filter((word) => word !== ""));

/** Label and annotation domains whose keys are kept whole. A domain covers its subdomains. */
export const publicDomains: readonly string[] = [
  "kubernetes.io",
  "k8s.io",
  "x-k8s.io",
  "openshift.io",
  "nvidia.com",
  "amd.com",
  "intel.com",
  "google.com",
  "amazonaws.com",
  "azure.com",
  "karpenter.sh",
  "k8s.aws",
  "istio.io",
  "envoyproxy.io",
  "modelplane.ai",
  "kserve.io",
  "knative.dev",
  "llm-d.ai",
  "vllm.ai",
  "aibrix.ai",
  "grove.io",
  "ray.io",
  "keda.sh",
  "kgateway.dev",
  "agentgateway.dev",
  "crossplane.io",
  "helm.sh",
  "cilium.io",
  "projectcalico.org",
  "cert-manager.io",
  "argoproj.io",
  "coreos.com",
  "holdfast.dev",
  "nebius.com",
  "nebius.ai",
  "kured.io",
  "cattle.io",
  "konghq.com",
  "projectcontour.io",
  "apisix.apache.org",
  "haproxy.org",
  "haproxy-ingress.github.io",
  "nginx.org",
  "kaito.sh",
];
