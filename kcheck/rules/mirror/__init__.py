"""KC16: MirrorMaker: flows, internal topics, checkpoints and offsets."""
