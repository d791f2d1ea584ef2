// How clients connect, as data, for the command line.
export { toTable } from '../console/src/clients/file.ts'
export {
  CLIENT_IDS,
  type Client,
  type ClientFile,
  createProgram,
  describeClientProgram,
  describeClients,
  describeWay,
  groupClients,
  PROGRAM_CLIENTS,
  type Program,
  type Seen,
  type ServerFacts,
  type Step,
  type Support,
  type System,
  toProgramJson,
} from '../console/src/clients/index.ts'
export { quoteShell, toShell } from '../console/src/clients/quote.ts'
