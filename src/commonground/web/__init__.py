"""What every served page needs: who may talk to the server, and where it listens."""
