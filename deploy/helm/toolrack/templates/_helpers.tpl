{{- define "toolrack.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "toolrack.fullname" -}}
{{- $name := include "toolrack.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "toolrack.selectorLabels" -}}
app.kubernetes.io/name: {{ include "toolrack.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "toolrack.labels" -}}
{{ include "toolrack.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "toolrack.image" -}}
{{- $repository := required "image.repository: expected the image of Toolrack, or one that is built FROM it" .Values.image.repository }}
{{- if .Values.image.digest }}{{ $repository }}@{{ .Values.image.digest }}
{{- else }}{{ $repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}

{{- define "toolrack.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "toolrack.fullname" .) }}
{{- else }}{{ .Values.serviceAccount.name | default "default" }}
{{- end }}
{{- end }}

{{- /* The text of a setting. JSON, since Go prints large numbers with an exponent. */}}
{{- define "toolrack.text" -}}
{{- if kindIs "string" . }}{{ . }}{{ else }}{{ mustToJson . }}{{ end }}
{{- end }}

{{- /* Whether a flag of the settings is true, as "true". */}}
{{- define "toolrack.isTrue" -}}
{{- if has (include "toolrack.text" .) (list "true" "1") }}true{{ end }}
{{- end }}

{{- define "toolrack.mcpPath" -}}
{{- .Values.settings.MCP_PATH | default "/mcp" }}
{{- end }}

{{- define "toolrack.httpPort" -}}
{{- include "toolrack.text" (.Values.settings.PORT | default 3000) }}
{{- end }}

{{- define "toolrack.secretName" -}}
{{- .Values.secrets.existingSecret | default (include "toolrack.fullname" .) }}
{{- end }}

{{- /* Names of the secret settings that come from files, separated by commas. */}}
{{- define "toolrack.secretKeys" -}}
{{- if .Values.secrets.existingSecret }}{{ join "," (sortAlpha .Values.secrets.keys) }}
{{- else }}{{ join "," (sortAlpha (keys .Values.secrets.values)) }}
{{- end }}
{{- end }}

{{- /* "true" if tools come from elsewhere than the image. */}}
{{- define "toolrack.hasToolsVolume" -}}
{{- if or .Values.tools.files .Values.tools.configMap .Values.tools.persistentVolumeClaim }}true{{ end }}
{{- end }}

{{- /* All settings that the pods get, as YAML: those of the values, and those that follow from other values. */}}
{{- define "toolrack.settings" -}}
{{- $settings := dict }}
{{- if .Values.ingress.enabled }}
{{- $_ := set $settings "PUBLIC_URL" (printf "https://%s%s" .Values.ingress.host (include "toolrack.mcpPath" .)) }}
{{- end }}
{{- if and (include "toolrack.hasToolsVolume" .) (ne .Values.tools.mountPath "/app/tools") }}
{{- $_ := set $settings "TOOLS_DIR" (printf "/app/tools,%s" .Values.tools.mountPath) }}
{{- end }}
{{- if .Values.apiKeys.existingSecret }}
{{- $_ := set $settings "API_KEYS_FILE" (printf "/run/secrets/api-keys/%s" .Values.apiKeys.key) }}
{{- end }}
{{- range compact (splitList "," (include "toolrack.secretKeys" .)) }}
{{- $_ := set $settings (printf "%s_FILE" .) (printf "/run/secrets/toolrack/%s" .) }}
{{- end }}
{{- range $name, $value := .Values.settings }}
{{- if not (kindIs "invalid" $value) }}
{{- $_ := set $settings $name (include "toolrack.text" $value) }}
{{- end }}
{{- end }}
{{- toYaml $settings }}
{{- end }}

{{- /* Refuses what the server would refuse, or what would serve something else than was meant. */}}
{{- define "toolrack.check" -}}
{{- $settings := .Values.settings }}
{{- $secrets := splitList "," (include "toolrack.secretKeys" .) }}
{{- $isGuarded := or (has "JWT_SECRET" $secrets) .Values.apiKeys.existingSecret .Values.envFrom }}
{{- $access := list "JWT_ISSUER" "JWT_JWKS_URL" "JWT_SECRET" "JWT_SECRET_FILE" "ISSUERS_FILE" "API_KEYS_FILE" }}
{{- range $access }}{{ if index $settings . }}{{ $isGuarded = true }}{{ end }}{{ end }}
{{- range .Values.env }}{{ if has .name $access }}{{ $isGuarded = true }}{{ end }}{{ end }}
{{- if not (or $isGuarded (include "toolrack.isTrue" $settings.ALLOW_ANONYMOUS)) }}
{{- fail "the server would be open to everyone: set settings.JWT_ISSUER, or JWT_SECRET in secrets, or apiKeys.existingSecret; or settings.ALLOW_ANONYMOUS: true" }}
{{- end }}
{{- if and .Values.secrets.existingSecret .Values.secrets.values }}
{{- fail "secrets: expected existingSecret or values, not both" }}
{{- end }}
{{- if and .Values.secrets.existingSecret (not .Values.secrets.keys) }}
{{- fail "secrets.keys: expected the settings that the Secret has, such as [REDIS_URL, STATE_SECRET]" }}
{{- end }}
{{- if gt (len (compact (list (keys .Values.tools.files | join ",") .Values.tools.configMap .Values.tools.persistentVolumeClaim))) 1 }}
{{- fail "tools: expected one of files, configMap and persistentVolumeClaim" }}
{{- end }}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) }}
{{- fail "ingress.host: expected the host that clients use, such as mcp.example" }}
{{- end }}
{{- if and .Values.ingress.enabled (kindIs "invalid" $settings.TRUST_PROXY) }}
{{- fail "settings.TRUST_PROXY: expected the addresses of the ingress controller's pods, such as 10.244.0.0/16, or false, with which all clients count as one" }}
{{- end }}
{{- $isShared := or .Values.autoscaling.enabled (gt (int .Values.replicas) 1) }}
{{- if and $isShared (not (has "REDIS_URL" $secrets)) (not .Values.env) (not .Values.envFrom) }}
{{- fail "REDIS_URL: replicas share sessions, tasks and limits in Redis; name it in secrets; or set autoscaling.enabled: false and replicas: 1, and STATE_SECRET in secrets, so that sessions outlive a restart" }}
{{- end }}
{{- if and .Values.serviceMonitor.enabled (not $settings.METRICS_PORT) }}
{{- fail "serviceMonitor: expected settings.METRICS_PORT" }}
{{- end }}
{{- end }}
