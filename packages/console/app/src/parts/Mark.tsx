// The sign of Toolrack, where a server has no icon of its own.
export const Mark = () => (
  <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
    <rect width="24" height="24" rx="6" />
    <path d="M5 7h14M8 7v6M12 7v10M16 7v4" />
  </svg>
)
