"""What a store has on disk or in an object store: manifests, data folders, and if all is there."""
