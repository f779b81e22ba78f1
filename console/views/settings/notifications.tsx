import { useSignal } from "@preact/signals"

/** Whether the browser may say that something waits while another window is in front. */
export function Notifications() {
  const permission = useSignal(
    typeof Notification === "undefined" ? "unsupported" : Notification.permission,
  )
  switch (permission.value) {
    case "granted":
      return <p>A question that arrives while you look elsewhere is announced.</p>
    case "denied":
      return (
        <p>
          This browser refuses them for this page. You can allow them in the browser's settings of
          this page; the title and the icon show what waits in any case.
        </p>
      )
    case "default":
      return (
        <>
          <p>Be told when a question arrives while you look elsewhere.</p>
          <button
            type="button"
            onClick={async () => {
              permission.value = await Notification.requestPermission()
            }}
          >
            Allow notifications
          </button>
        </>
      )
    default:
      return <p>This browser has none. The title and the icon show what waits.</p>
  }
}
