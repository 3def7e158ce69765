/**
 * Known fields that docs/how-to/remote uses, with the sources in which they were found. Pure data. `*` stands for a
 * name that the author chooses.
 */

const POD: readonly string[] = [
  // kubernetes.io/docs/reference/kubernetes-api: Pod v1, Container v1
  ...["containers", "initContainers"].flatMap((list) =>
    [
      "name",
      "image",
      "command[]",
      "args[]",
      "ports[].name",
      "ports[].containerPort",
      "env[].name",
      "env[].value",
      "readinessProbe.httpGet.path",
      "readinessProbe.httpGet.port",
      "readinessProbe.periodSeconds",
      "readinessProbe.failureThreshold",
      "resources.limits.*",
      "resources.requests.*",
      "volumeMounts[].name",
      "volumeMounts[].mountPath",
    ].map((field) => `spec.${list}[].${field}`),
  ),
  "spec.volumes[].name",
  "spec.volumes[].emptyDir",
  "spec.volumes[].emptyDir.medium",
  "spec.volumes[].emptyDir.sizeLimit",
  "spec.volumes[].persistentVolumeClaim.claimName",
  "spec.nodeSelector.*",
  "spec.tolerations[].key",
  "spec.tolerations[].operator",
  "spec.tolerations[].effect",
  "metadata.labels.*",
];

const EVERY = ["apiVersion", "kind", "metadata.name"];

const pods = (path: string): string[] => POD.map((field) => `${path}.${field}`);

/** Fields by Kubernetes kind. */
export const KUBERNETES_FIELDS: { readonly [kind: string]: readonly string[] } = {
  // kubernetes.io/docs/reference/kubernetes-api: PersistentVolumeClaim v1, Service v1, Deployment v1
  PersistentVolumeClaim: [
    ...EVERY,
    "spec.accessModes[]",
    "spec.storageClassName",
    "spec.resources.requests.storage",
  ],
  Service: [
    ...EVERY,
    "spec.selector.*",
    "spec.ports[].name",
    "spec.ports[].port",
    "spec.ports[].targetPort",
  ],
  Deployment: [
    ...EVERY,
    "spec.replicas",
    "spec.strategy.type",
    "spec.selector.matchLabels.*",
    ...pods("spec.template"),
  ],
  // ray-project/kuberay 0057210ed5a94e830c864af372577328c3542b44,
  // ray-operator/apis/ray/v1/rayjob_types.go and raycluster_types.go
  RayJob: [
    ...EVERY,
    "spec.backoffLimit",
    "spec.shutdownAfterJobFinishes",
    "spec.entrypoint",
    "spec.runtimeEnvYAML",
    "spec.rayClusterSpec.rayVersion",
    "spec.rayClusterSpec.headGroupSpec.rayStartParams.*",
    ...pods("spec.rayClusterSpec.headGroupSpec.template"),
    "spec.rayClusterSpec.workerGroupSpecs[].groupName",
    "spec.rayClusterSpec.workerGroupSpecs[].replicas",
    "spec.rayClusterSpec.workerGroupSpecs[].minReplicas",
    "spec.rayClusterSpec.workerGroupSpecs[].maxReplicas",
    "spec.rayClusterSpec.workerGroupSpecs[].rayStartParams",
    ...pods("spec.rayClusterSpec.workerGroupSpecs[].template"),
  ],
};

/**
 * NovaSky-AI/SkyRL a9564572eb8e91076be43c1bd5e4615e3de17265: EngineConfig of skyrl/tinker/config.py
 * and the parser at the end of skyrl/tinker/api.py; `extra` is uv's.
 */
export const SKYRL_FLAGS: readonly string[] = [
  "extra",
  "host",
  "port",
  "base-model",
  "backend",
  "backend-config",
  "checkpoints-base",
  "database-url",
  "external-inference-url",
  "external-inference-api-key",
  "external-inference-lora-base",
  "forwarding-inference-max-connections",
  "session-cleanup-interval-sec",
  "session-timeout-sec",
];

/** The same commit, skyrl/train/config/config.py: members of SkyRLTrainConfig by their path. */
export const SKYRL_KEYS: readonly string[] = [
  "trainer.placement.colocate_all", // PlacementConfig
  "trainer.placement.policy_num_nodes",
  "trainer.placement.policy_num_gpus_per_node",
  "trainer.micro_train_batch_size_per_gpu", // TrainerConfig
  "trainer.micro_forward_batch_size_per_gpu",
  "trainer.log_path",
  "trainer.algorithm.temperature", // AlgorithmConfig
  "trainer.policy.optimizer_config.adam_betas", // OptimizerConfig
  "trainer.policy.optimizer_config.weight_decay",
  "trainer.policy.optimizer_config.max_grad_norm",
  "trainer.policy.model.lora.dropout", // SkyRLLoraConfig
  "trainer.policy.model.lora.target_modules",
  "trainer.policy.model.lora.lora_sync_path",
  "generator.inference_engine.num_engines", // InferenceEngineConfig
  "generator.inference_engine.tensor_parallel_size",
  "generator.inference_engine.gpu_memory_utilization",
];

/** gke-labs/open-rl bfc0f090b48b47630c993b779f23f7c2c7d3b5e3, docs/configuration.md and src/server. */
export const OPEN_RL_ENVIRONMENT: readonly string[] = [
  "BASE_MODEL",
  "REDIS_URL",
  "OPEN_RL_TMP_DIR",
  "OPEN_RL_TARGET_MODULES",
  "CUDA_VISIBLE_DEVICES",
  "HF_HOME",
  "HF_TOKEN",
];
