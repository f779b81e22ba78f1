/** Most sessions log in to nothing, so what does it is loaded when somebody wants to. */
export const loadLogin = () => import("./login-to-server.ts")
