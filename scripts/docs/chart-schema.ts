// Generates what values.schema.json of the chart says of settings: `helm install` then refuses a
// misspelt one, and a secret among the settings. The rest of the file is written by hand.
import { describeValue } from '../../packages/cli/src/describe-setting.ts'
import { isSecret, SETTINGS, type SettingName } from '../../src/config/settings.ts'

export const PAGE = 'deploy/helm/toolrack/values.schema.json'

/** The settings of the values: not HOST, which only the image knows. */
const LEFT: ReadonlySet<string> = new Set(['HOST'])

const NAMES = Object.keys(SETTINGS).filter(name => !LEFT.has(name)) as SettingName[]

/** The text of the schema, with the settings of today. */
export function withSettings(text: string): string {
  const schema = JSON.parse(text)
  const secrets = NAMES.filter(isSecret)
  schema.$defs.settings = toObject(
    NAMES.filter(name => !isSecret(name)),
    '#/$defs/setting',
  )
  schema.$defs.secrets = toObject(secrets, '#/$defs/secret')
  schema.$defs.secretName = { enum: secrets }
  return `${JSON.stringify(schema, undefined, 2)}\n`
}

const toObject = (names: readonly SettingName[], $ref: string) => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(
    names.map(name => [
      name,
      { description: `${SETTINGS[name].meaning} Expected: ${describeValue(SETTINGS[name])}.`, $ref },
    ]),
  ),
})
