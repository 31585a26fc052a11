module program

go 1.23

require lock v0.0.0

replace lock => ../client
