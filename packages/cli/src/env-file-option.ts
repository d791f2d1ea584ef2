// `--env-file`, for commands that run the tools of a project.
import { ENV_FILE } from './env-file.ts'

export const ENV_FILE_OPTION = ['--env-file <file>', `a file of variables (default: ${ENV_FILE})`] as const
