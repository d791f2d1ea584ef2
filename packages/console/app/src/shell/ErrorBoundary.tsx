// If a view fails, shows the error in its place. The rest of the page continues.
import { Component, type ComponentChildren } from 'preact'

interface Fault {
  readonly error?: unknown
}

interface Props {
  /** Shown instead of the error. */
  readonly instead?: ComponentChildren
  readonly children: ComponentChildren
}

export class ErrorBoundary extends Component<Props, Fault> {
  override state: Fault = {}

  static override getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    const { error } = this.state
    const { children, instead } = this.props
    if (error === undefined) return children
    if (instead !== undefined) return instead
    return (
      <div class="notice notice-error" role="alert">
        <p>
          <strong>This view failed.</strong> {error instanceof Error ? error.message : String(error)}
        </p>
        <button type="button" class="button" onClick={() => this.setState({ error: undefined })}>
          Try again
        </button>
      </div>
    )
  }
}
