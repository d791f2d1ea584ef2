{{- define "broker.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "broker.fullname" -}}
{{- $name := include "broker.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "broker.selectorLabels" -}}
app.kubernetes.io/name: {{ include "broker.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "broker.labels" -}}
{{ include "broker.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "broker.image" -}}
{{- $repository := required "image.repository: expected the image of packages/broker/Dockerfile" .Values.image.repository }}
{{- if .Values.image.digest }}{{ $repository }}@{{ .Values.image.digest }}
{{- else }}{{ $repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- end }}

{{- /* The text of a setting. JSON, since Go prints large numbers with an exponent. */}}
{{- define "broker.text" -}}
{{- if kindIs "string" . }}{{ . }}{{ else }}{{ mustToJson . }}{{ end }}
{{- end }}

{{- /* All settings that the pods get, as YAML. */}}
{{- define "broker.settings" -}}
{{- /* The image has a path of its own for keys, which come from the Secret here. */}}
{{- $settings := dict "KEYS_PATH" "" }}
{{- range .Values.secrets.keys }}
{{- $_ := set $settings (printf "%s_FILE" .) (printf "/run/secrets/broker/%s" .) }}
{{- end }}
{{- range $name, $value := .Values.settings }}
{{- if not (kindIs "invalid" $value) }}
{{- $_ := set $settings $name (include "broker.text" $value) }}
{{- end }}
{{- end }}
{{- toYaml $settings }}
{{- end }}

{{- /* Refuses what the broker would refuse, and what would serve something else than was meant. */}}
{{- define "broker.check" -}}
{{- range list "BROKER_URL" "RESOURCE_URL" "UPSTREAM_ISSUER" "UPSTREAM_CLIENT_ID" "ALLOWED_USERS" }}
{{- if not (index $.Values.settings .) }}
{{- fail (printf "settings.%s: expected a value, since it has no default" .) }}
{{- end }}
{{- end }}
{{- range list "UPSTREAM_CLIENT_SECRET" "SIGNING_KEYS" "REDIS_URL" "EXCHANGE_CLIENT_SECRET" }}
{{- if index $.Values.settings . }}
{{- fail (printf "settings.%s: expected it in the Secret of secrets.existingSecret" .) }}
{{- end }}
{{- end }}
{{- range list "UPSTREAM_CLIENT_SECRET" "SIGNING_KEYS" "REDIS_URL" }}
{{- if not (has . $.Values.secrets.keys) }}
{{- fail (printf "secrets.keys: expected %s among them, since pods share it" .) }}
{{- end }}
{{- end }}
{{- if not .Values.secrets.existingSecret }}
{{- fail "secrets.existingSecret: expected the name of a Secret" }}
{{- end }}
{{- if and .Values.ingress.enabled (not .Values.settings.TRUST_PROXY) }}
{{- fail "settings.TRUST_PROXY: expected the addresses of the ingress controller's pods, such as 10.244.0.0/16, since limits count addresses" }}
{{- end }}
{{- if and .Values.serviceMonitor.enabled (not .Values.settings.METRICS_PORT) }}
{{- fail "serviceMonitor: expected settings.METRICS_PORT" }}
{{- end }}
{{- end }}
