"""The methods of both doors, one module a noun: params and caller in, the whole reply out."""
