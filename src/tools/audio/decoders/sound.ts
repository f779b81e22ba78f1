/** Some of a recording: samples from -1 to 1 for each channel. */
export interface Sound {
  readonly channelData: readonly Float32Array[]
  readonly sampleRate: number
}

/** Piece by piece, because a few bytes may stand for minutes of silence. */
export type Sounds = AsyncGenerator<Sound>
