import { images } from "./local/build-images.ts"

/** Those of the local cluster, unless others are named. */
export const image: string = process.env.TOOLKEEP_IMAGE || images.test
export const keeperImage: string = process.env.TOOLKEEP_KEEPER_IMAGE || images.node
