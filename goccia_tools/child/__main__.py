"""``python -m goccia_tools.child``: one run over the protocol on the standard streams, for any client."""

from goccia_tools.child.main import main

main()
