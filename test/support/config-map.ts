// A volume as the kubelet writes it for a ConfigMap or a Secret: names are links by way of `..data`
// to a folder with a new name for each version, and an update renames a new `..data` over the old
// one.
import { mkdirSync, readdirSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ConfigMapVolume {
  readonly path: string
  /** All files of the new version: others are gone. */
  update(files: Readonly<Record<string, string>>): void
}

export function configMapVolume(path: string, files: Readonly<Record<string, string>>): ConfigMapVolume {
  mkdirSync(path, { recursive: true })
  let version = 0
  const update: ConfigMapVolume['update'] = files => {
    const isFirst = version === 0
    const before = isFirst ? undefined : readlinkSync(join(path, '..data'))
    const folder = `..2026_11_25_12_00_0${++version}.123456789`
    mkdirSync(join(path, folder))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(path, folder, name), text)
    symlinkSync(folder, join(path, '..data_tmp'))
    renameSync(join(path, '..data_tmp'), join(path, '..data'))
    const shown = readdirSync(path).filter(name => !name.startsWith('..'))
    for (const name of Object.keys(files))
      if (!shown.includes(name)) symlinkSync(join('..data', name), join(path, name))
    for (const name of shown) if (!(name in files)) rmSync(join(path, name))
    if (before !== undefined) rmSync(join(path, before), { recursive: true })
  }
  update(files)
  return { path, update }
}
