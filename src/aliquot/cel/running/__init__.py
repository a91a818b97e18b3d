"""From a checked tree to something that runs on a device: closures, and one lambda where that is safe."""
